package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	storyNamespace = "default"
	replicas       = 3
)

var everyWebPod = labels.SelectorFromSet(labels.Set{"app": "web"})

// TestFleet is one story on one fleet, because a fleet takes seconds to start.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real control planes")
	}
	start, cancel := context.WithTimeout(t.Context(), 20*time.Minute) // the first build is slow
	defer cancel()
	dir := filepath.Join(t.TempDir(), "story")
	log := &testLog{t: t}
	f, err := Start(start, Options{
		Name: "story", Dir: dir, Log: log, Audit: true,
		Members: []Member{{Name: "east", Nodes: 2, Labels: map[string]string{"team": "blue"}}, {Name: "bare", APIOnly: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	s := &story{Fleet: f, east: f.Member("east"), client: clientOf(t, f.Member("east"))}

	for _, chapter := range []struct {
		name string
		tell func(*testing.T)
	}{
		{"every cluster is ready", s.everyClusterIsReady},
		{"credentials of one cluster open no other", s.credentialsStayAtHome},
		{"pods of a StatefulSet become ready on labelled nodes", s.podsBecomeReady},
		{"pods stay pending on a member without controllers", s.podsStayPendingOnBare},
		{"failed pods are replaced", s.failedPodsAreReplaced},
		{"restarted containers count and become ready again", s.restartedContainers},
		{"held pods are not ready until released", s.heldPods},
		{"a killed controller manager acts again after its start", s.controllerManager},
		{"a frozen API server times out until it is thawed", s.freeze},
		{"a slowed API server still answers", s.slowDown},
		{"a restarted API server keeps its data", s.restart},
		{"a service account has no rights of its own", s.serviceAccount},
		{"the audit log tells who did what", s.audit},
	} {
		if !t.Run(chapter.name, chapter.tell) {
			f.dumpLogs(t, "east")
			t.FailNow() // later chapters build on this one
		}
	}

	pids := processesOf(t, dir)
	if len(pids) != 7 {
		t.Errorf("%d processes run, want 7: etcd, three API servers, controller manager, scheduler, kwok", len(pids))
	}
	f.Stop()
	f.Stop()
	if left := processesOf(t, dir); len(left) > 0 {
		t.Errorf("processes after Stop: %v", left)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder after Stop: %v, want none", err)
	}
	if err := s.east.StartAPIServer(t.Context()); !errors.Is(err, errStopped) {
		t.Errorf("start after Stop: %v, want %v", err, errStopped)
	}
}

type story struct {
	*Fleet
	east   *Cluster
	client kubernetes.Interface
}

func (s *story) everyClusterIsReady(t *testing.T) {
	for _, c := range s.clusters() {
		body, err := clientOf(t, c).Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context())
		if err != nil || string(body) != "ok" {
			t.Errorf("%s: readyz: %q, %v", c.Name(), body, err)
		}
		version, err := clientOf(t, c).Discovery().ServerVersion()
		if err != nil || !strings.HasPrefix(version.GitVersion, "v1.36.") {
			t.Errorf("%s: version %v, %v", c.Name(), version, err)
		}
		info, err := os.Stat(c.Kubeconfig())
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: kubeconfig: %v, %v", c.Name(), info, err)
		}
	}
}

func (s *story) credentialsStayAtHome(t *testing.T) {
	stranger := s.Hub().RESTConfig()
	stranger.Host = s.east.RESTConfig().Host
	stranger.CAData = s.east.RESTConfig().CAData
	_, err := clientFor(t, stranger).CoreV1().Nodes().List(t.Context(), listOptions)
	if !apierrors.IsUnauthorized(err) {
		t.Errorf("the hub's administrator on a member: %v, want unauthorized", err)
	}
}

func (s *story) podsBecomeReady(t *testing.T) {
	if _, err := s.client.AppsV1().StatefulSets(storyNamespace).Create(t.Context(), web(), createOptions); err != nil {
		t.Fatal(err)
	}
	s.await(t, s.allReady)
	node, err := s.client.CoreV1().Nodes().Get(t.Context(), s.pods(t)[0].Spec.NodeName, getOptions)
	if err != nil {
		t.Fatal(err)
	}
	gpus := node.Status.Allocatable["nvidia.com/gpu"]
	if node.Labels["team"] != "blue" || node.Labels[corev1.LabelTopologyZone] == "" || gpus.Value() != 8 {
		t.Errorf("node %s: labels %v, %v GPUs", node.Name, node.Labels, gpus.String())
	}
}

func (s *story) podsStayPendingOnBare(t *testing.T) {
	client := clientOf(t, s.Member("bare"))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "alone"}, Spec: web().Spec.Template.Spec}
	created, err := client.CoreV1().Pods(storyNamespace).Create(t.Context(), pod, createOptions)
	if err != nil {
		t.Fatal(err)
	}
	if created.Status.Phase != corev1.PodPending || created.Spec.NodeName != "" {
		t.Errorf("pod is %s on %q, want pending on none", created.Status.Phase, created.Spec.NodeName)
	}
	if err := s.Member("bare").RestartContainers(t.Context(), storyNamespace, labels.Everything()); err == nil {
		t.Error("containers restarted where no pod runs")
	}
}

func (s *story) failedPodsAreReplaced(t *testing.T) {
	watcher, err := s.client.CoreV1().Pods(storyNamespace).Watch(t.Context(), metav1.ListOptions{LabelSelector: everyWebPod.String()})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	before := s.uids(t)
	if err := s.east.FailPods(t.Context(), storyNamespace, everyWebPod); err != nil {
		t.Fatal(err)
	}
	failed := map[string]bool{}
	deadline := time.After(20 * time.Second)
	for len(failed) < replicas {
		select {
		case event := <-watcher.ResultChan():
			if pod, ok := event.Object.(*corev1.Pod); ok && pod.Status.Phase == corev1.PodFailed {
				failed[pod.Name] = true
			}
		case <-deadline:
			t.Fatalf("failed pods seen: %v", failed)
		}
	}
	s.await(t, func() error {
		for uid := range s.uids(t) {
			if before[uid] {
				return errors.New("an old pod is left")
			}
		}
		return s.allReady()
	})
	if err := s.east.FailPods(t.Context(), storyNamespace, labels.SelectorFromSet(labels.Set{"app": "none"})); !errors.Is(err, errNoPods) {
		t.Errorf("fail no pods: %v, want %v", err, errNoPods)
	}
}

func (s *story) restartedContainers(t *testing.T) {
	before := s.uids(t)
	for want := int32(1); want <= 2; want++ {
		if err := s.east.RestartContainers(t.Context(), storyNamespace, everyWebPod); err != nil {
			t.Fatal(err)
		}
		s.await(t, s.allReady)
		for _, pod := range s.pods(t) {
			status := pod.Status.ContainerStatuses[0]
			if status.RestartCount != want || !status.Ready || status.LastTerminationState.Terminated == nil {
				t.Errorf("%s: %+v, want %d restarts, ready, a last state", pod.Name, status, want)
			}
			if !before[string(pod.UID)] {
				t.Errorf("%s was replaced", pod.Name)
			}
		}
	}
}

func (s *story) heldPods(t *testing.T) {
	release, err := s.east.KeepNotReady(t.Context(), storyNamespace, everyWebPod)
	if err != nil {
		t.Fatal(err)
	}
	s.allHeld(t)
	if err := s.client.CoreV1().Pods(storyNamespace).Delete(t.Context(), "web-0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.await(t, func() error { // a pod born into the hold
		pods := s.pods(t)
		if len(pods) != replicas {
			return fmt.Errorf("%d pods", len(pods))
		}
		for _, pod := range pods {
			if podReady(&pod) {
				t.Fatalf("%s became ready", pod.Name)
			}
			if pod.Status.Phase != corev1.PodRunning {
				return fmt.Errorf("%s is %s", pod.Name, pod.Status.Phase)
			}
		}
		return nil
	})
	if err := s.east.RestartContainers(t.Context(), storyNamespace, everyWebPod); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // long for kwok, which acts within milliseconds
	s.allHeld(t)
	for range 2 {
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	s.await(t, s.allReady)
}

func (s *story) allHeld(t *testing.T) {
	t.Helper()
	for _, pod := range s.pods(t) {
		if pod.Status.Phase != corev1.PodRunning || podReady(&pod) {
			t.Errorf("%s: phase %s, ready %t, want running and not ready", pod.Name, pod.Status.Phase, podReady(&pod))
		}
	}
}

func (s *story) controllerManager(t *testing.T) {
	if err := s.east.KillControllerManager(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.client.CoreV1().Pods(storyNamespace).Delete(t.Context(), "web-1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if pods := s.pods(t); len(pods) >= replicas {
		t.Errorf("%d pods without a controller manager, want fewer than %d", len(pods), replicas)
	}
	if err := s.east.StartControllerManager(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.await(t, s.allReady)
	if err := s.Hub().KillControllerManager(t.Context()); err == nil {
		t.Error("the hub has a controller manager")
	}
}

func (s *story) freeze(t *testing.T) {
	if err := s.east.Freeze(); err != nil {
		t.Fatal(err)
	}
	if err := s.get(t, 500*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("get from a frozen API server: %v, want %v", err, context.DeadlineExceeded)
	}
	if err := s.east.Thaw(); err != nil {
		t.Fatal(err)
	}
	if err := s.get(t, 10*time.Second); err != nil {
		t.Errorf("get after thaw: %v", err)
	}
}

func (s *story) slowDown(t *testing.T) {
	if err := s.east.SlowDown(0.8); err != nil {
		t.Fatal(err)
	}
	const requests = 20
	begin := time.Now()
	for range requests {
		if err := s.get(t, 10*time.Second); err != nil {
			t.Errorf("get from a slow API server: %v", err)
		}
	}
	slow := time.Since(begin)
	if err := s.east.SlowDown(0); err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	for range requests {
		if err := s.get(t, 10*time.Second); err != nil {
			t.Errorf("get from a restored API server: %v", err)
		}
	}
	t.Logf("%d requests: %s slowed, %s restored", requests, slow, time.Since(begin))
	if s.east.SlowDown(1) == nil {
		t.Error("a fraction of 1 is accepted")
	}
}

func (s *story) restart(t *testing.T) {
	before := s.uids(t)
	if err := s.east.Freeze(); err != nil { // a frozen server can be stopped too
		t.Fatal(err)
	}
	if err := s.east.StopAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.get(t, 2*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("get from a stopped API server: %v, want refused", err)
	}
	if err := s.east.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := s.uids(t)
	for uid := range before {
		if !after[uid] {
			t.Errorf("pod %s is lost", uid)
		}
	}
	if err := s.east.FailPods(t.Context(), storyNamespace, everyWebPod); err != nil { // controllers are back
		t.Fatal(err)
	}
	s.await(t, s.allReady)
}

func (s *story) serviceAccount(t *testing.T) {
	encoded, err := s.east.ServiceAccountKubeconfig(t.Context(), storyNamespace, "visitor", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(encoded)
	if err != nil {
		t.Fatal(err)
	}
	visitor := clientFor(t, config)
	_, err = visitor.CoreV1().Pods(storyNamespace).List(t.Context(), listOptions)
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "system:serviceaccount:default:visitor") {
		t.Errorf("list pods: %v, want forbidden for the visitor", err)
	}
}

func (s *story) audit(t *testing.T) {
	since := time.Now()
	if err := s.get(t, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	s.await(t, func() error {
		events, err := s.east.AuditEvents(since)
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range events {
			if event.RequestReceivedTimestamp.Time.Before(since) || event.Stage == "RequestReceived" {
				t.Fatalf("event %+v does not belong here", event)
			}
			if event.User.Username == "administrator" && event.Verb == "get" && event.ObjectRef != nil && event.ObjectRef.Name == "web" {
				return nil
			}
		}
		return errors.New("the request is not in the log")
	})
}

func (s *story) get(t *testing.T, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	_, err := s.client.AppsV1().StatefulSets(storyNamespace).Get(ctx, "web", getOptions)
	return err
}

func (s *story) pods(t *testing.T) []corev1.Pod {
	t.Helper()
	list, err := s.client.CoreV1().Pods(storyNamespace).List(t.Context(), metav1.ListOptions{LabelSelector: everyWebPod.String()})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func (s *story) uids(t *testing.T) map[string]bool {
	t.Helper()
	uids := map[string]bool{}
	for _, pod := range s.pods(t) {
		uids[string(pod.UID)] = true
	}
	return uids
}

func (s *story) allReady() error {
	list, err := s.client.CoreV1().Pods(storyNamespace).List(context.Background(), metav1.ListOptions{LabelSelector: everyWebPod.String()})
	if err != nil {
		return err
	}
	ready := 0
	for i := range list.Items {
		if podReady(&list.Items[i]) && list.Items[i].DeletionTimestamp == nil {
			ready++
		}
	}
	if ready != replicas || len(list.Items) != replicas {
		return fmt.Errorf("%d of %d pods are ready, want %d", ready, len(list.Items), replicas)
	}
	return nil
}

func (s *story) await(t *testing.T, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := poll(ctx, func(context.Context) error { return check() }); err != nil {
		t.Fatal(err)
	}
}

func web() *appsv1.StatefulSet {
	count := int32(replicas)
	appLabels := map[string]string{"app": "web"}
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.StatefulSetSpec{
			Replicas:            &count,
			PodManagementPolicy: appsv1.ParallelPodManagement,
			Selector:            &metav1.LabelSelector{MatchLabels: appLabels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: appLabels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
			},
		},
	}
}

func clientOf(t *testing.T, c *Cluster) *kubernetes.Clientset { return clientFor(t, c.RESTConfig()) }

func clientFor(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// processesOf lists the processes whose command line names a folder.
func processesOf(t *testing.T, dir string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if err == nil && strings.Contains(string(line), dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (f *Fleet) dumpLogs(t *testing.T, cluster string) {
	for _, program := range []string{apiServerProgram, controllerManagerProgram, schedulerProgram, kwokProgram} {
		t.Logf("%s of %s:\n%s", program, cluster, logTail(f.folder.log(cluster, program)))
	}
}

type testLog struct{ t *testing.T }

func (l *testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}
