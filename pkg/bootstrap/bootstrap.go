// Package bootstrap makes a member ready to run sets: it checks the version, installs the definition of
// LeaderWorkerSet and the pod stamping policy, and proves the latter. Where nothing is missing it writes nothing.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/stamping"
)

// oldest is the first version whose admission policies can stamp pods.
var oldest = version.MustParseGeneric("1.36.0")

// proofTimeout bounds the wait for the policy to become active, about a second.
const proofTimeout = 8 * time.Second

// Run makes the member ready. It is a fleet.Prepare.
func Run(ctx context.Context, a fleet.Access) (fleet.Report, error) {
	report := fleet.Report{}
	d, err := discovery.NewDiscoveryClientForConfigAndClient(a.Config, a.HTTP)
	if err != nil {
		return report, fmt.Errorf("make discovery client: %w", err)
	}
	found, err := d.ServerVersion()
	if err != nil {
		return report, fmt.Errorf("read version: %w", err)
	}
	report.Version = found.GitVersion
	if err := checkVersion(found.GitVersion); err != nil {
		return report, err
	}
	if err := checkPolicyAPI(d); err != nil {
		return report, err
	}
	system := &corev1.Namespace{}
	if err := a.Client.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return report, fmt.Errorf("read the cluster's identity: %w", err)
	}
	report.ClusterUID = string(system.UID)
	return report, install(ctx, a.Client)
}

func checkVersion(found string) error {
	v, err := version.ParseGeneric(found)
	if err == nil && v.AtLeast(oldest) {
		return nil
	}
	return &fleet.Failure{
		Condition: v1alpha1.ConditionCompatible,
		Reason:    v1alpha1.ReasonVersionTooOld,
		Err:       fmt.Errorf("the member runs Kubernetes %s; upgrade it to 1.36 or newer", found),
	}
}

func checkPolicyAPI(d discovery.DiscoveryInterface) error {
	resources, err := d.ServerResourcesForGroupVersion(admissionregistrationv1.SchemeGroupVersion.String())
	if err != nil {
		return fmt.Errorf("list the admission API: %w", err)
	}
	for _, r := range resources.APIResources {
		if r.Name == "mutatingadmissionpolicies" {
			return nil
		}
	}
	return &fleet.Failure{
		Condition: v1alpha1.ConditionCompatible,
		Reason:    v1alpha1.ReasonPolicyAPIMissing,
		Err:       errors.New("the member does not serve mutatingadmissionpolicies; turn the feature MutatingAdmissionPolicy on"),
	}
}

func install(ctx context.Context, c client.Client) error {
	if err := createMissing(ctx, c, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SystemNamespace}}); err != nil {
		return err
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: v1alpha1.SystemNamespace, Name: stamping.ServiceAccount}}
	if err := createMissing(ctx, c, account); err != nil {
		return err
	}
	if err := applyDefinition(ctx, c); err != nil {
		return err
	}
	if err := stamping.Apply(ctx, c); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, proofTimeout)
	defer cancel()
	return stamping.Prove(ctx, c)
}

func createMissing(ctx context.Context, c client.Client, o client.Object) error {
	err := c.Get(ctx, client.ObjectKeyFromObject(o), o.DeepCopyObject().(client.Object))
	if apierrors.IsNotFound(err) {
		err = c.Create(ctx, o, client.FieldOwner(v1alpha1.FieldManager))
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %T %q: %w", o, o.GetName(), err)
	}
	return nil
}
