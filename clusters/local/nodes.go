package local

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	kwokUser  = "fleet:kwok"
	podsANode = "200"
)

var (
	getOptions    = metav1.GetOptions{}
	listOptions   = metav1.ListOptions{}
	createOptions = metav1.CreateOptions{}
)

// grantKwok gives kwok what it does: it plays kubelet for every node.
func grantKwok(ctx context.Context, client kubernetes.Interface) error {
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: kwokUser},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch", "delete", "patch", "update"}},
			{APIGroups: []string{""}, Resources: []string{"nodes/status", "pods/status"}, Verbs: []string{"patch", "update"}},
			{APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch", "update"}},
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "list", "watch", "create", "patch", "update"}},
		},
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: kwokUser},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: kwokUser},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: kwokUser}},
	}
	if _, err := client.RbacV1().ClusterRoles().Create(ctx, role, createOptions); err != nil {
		return fmt.Errorf("create role: %w", err)
	}
	if _, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, createOptions); err != nil {
		return fmt.Errorf("create role binding: %w", err)
	}
	return nil
}

func createNodes(ctx context.Context, client kubernetes.Interface, member Member) error {
	for i := range member.Nodes {
		if _, err := client.CoreV1().Nodes().Create(ctx, newNode(member, i), createOptions); err != nil {
			return fmt.Errorf("create node %d: %w", i, err)
		}
	}
	return nil
}

// newNode describes a machine with eight GPUs. Nodes alternate between two zones of one region,
// which has the name of the cluster.
func newNode(member Member, i int) *corev1.Node {
	name := fmt.Sprintf("%s-node-%d", member.Name, i)
	labels := map[string]string{
		corev1.LabelHostname:       name,
		corev1.LabelTopologyRegion: member.Name,
		corev1.LabelTopologyZone:   fmt.Sprintf("%s-%c", member.Name, 'a'+i%2),
		corev1.LabelOSStable:       "linux",
		corev1.LabelArchStable:     "amd64",
	}
	maps.Copy(labels, member.Labels)
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("256"),
		corev1.ResourceMemory:           resource.MustParse("2Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("8Ti"),
		corev1.ResourcePods:             resource.MustParse(podsANode),
		"nvidia.com/gpu":                resource.MustParse("8"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status: corev1.NodeStatus{
			Capacity:    capacity,
			Allocatable: capacity,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeHostName, Address: name},
				{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.1.%d.%d", i/250, i%250+1)},
			},
		},
	}
}
