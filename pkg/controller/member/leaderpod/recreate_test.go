package leaderpod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

func deleting(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{} }

func inPhase(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Phase = phase }
}

func restarted(pod *corev1.Pod) {
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main"}, {Name: "engine", RestartCount: 1}}
}

func initRestarted(pod *corev1.Pod) {
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", RestartCount: 2}}
}

func toLeader(change func(*corev1.Pod)) func(*observation) {
	return func(o *observation) { change(o.leader) }
}

func toWorker(index int, change func(*corev1.Pod)) func(*observation) {
	return func(o *observation) { change(o.pods[index-1]) }
}

// Every policy meets every failure, in a group whose pods all run otherwise.
func TestRecreationByPolicy(t *testing.T) {
	failures := map[string]struct {
		happened func(*observation)
		reason   string
	}{
		"nothing":                               {func(*observation) {}, ""},
		"a worker is being deleted":             {toWorker(2, deleting), "pod demo-4-2 is being deleted"},
		"a worker failed":                       {toWorker(1, inPhase(corev1.PodFailed)), "pod demo-4-1 failed"},
		"a worker's container restarted":        {toWorker(1, restarted), "pod demo-4-1 restarted container engine"},
		"a worker's init container restarted":   {toWorker(1, initRestarted), "pod demo-4-1 restarted container fetch"},
		"the leader failed":                     {toLeader(inPhase(corev1.PodFailed)), "pod demo-4 failed"},
		"the leader's container restarted":      {toLeader(restarted), "pod demo-4 restarted container engine"},
		"the leader's init container restarted": {toLeader(initRestarted), "pod demo-4 restarted container fetch"},
		"a worker was deleted unnoticed":        {func(o *observation) { o.lost = []string{"demo-4-2"} }, "pod demo-4-2 was deleted"},
		"a worker at another key is being deleted": {toWorker(1, func(pod *corev1.Pod) {
			pod.Labels[lwsv1.LabelRevision] = "another"
			deleting(pod)
		}), ""},
		"a worker without a key restarted": {toWorker(1, func(pod *corev1.Pod) {
			delete(pod.Labels, lwsv1.LabelRevision)
			restarted(pod)
		}), ""},
		"a worker beyond the size is being deleted": {func(o *observation) {
			o.pods = append(o.pods, worker(o.leader, 3))
			deleting(o.pods[2])
		}, ""},
	}
	for policy, recreates := range map[lwsv1.RestartPolicyType]bool{
		"": true,
		lwsv1.RestartPolicyRecreateGroupOnPodRestart: true,
		lwsv1.RestartPolicyRecreateGroupAfterStart:   true,
		lwsv1.RestartPolicyNone:                      false,
		lwsv1.RestartPolicyDefault:                   false,
	} {
		for name, c := range failures {
			t.Run(string(policy)+"/"+name, func(t *testing.T) {
				spec := template("a", 3)
				spec.LeaderWorkerTemplate.RestartPolicy = policy
				content := revision.Of(&spec)
				o := whole(spec, content)
				c.happened(o)
				want := c.reason
				if !recreates {
					want = ""
				}
				if diff := cmp.Diff(want, recreation(o, content)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

// A group in its start is not recreated, where it is asked for after the start alone.
func TestRecreationAfterStart(t *testing.T) {
	starting := map[string]func(*observation){
		"a worker is not there yet":  func(o *observation) { o.pods = o.pods[:1] },
		"no workers are there yet":   func(o *observation) { o.workers, o.pods = nil, nil },
		"another worker is pending":  toWorker(2, inPhase(corev1.PodPending)),
		"the failed pod is pending":  toWorker(1, inPhase(corev1.PodPending)),
		"the leader is pending":      toLeader(inPhase(corev1.PodPending)),
		"all pods run":               func(*observation) {},
		"a worker has ended already": toWorker(2, inPhase(corev1.PodSucceeded)),
	}
	started := map[string]bool{"all pods run": true, "a worker has ended already": true}
	type asked struct {
		policy     lwsv1.RestartPolicyType
		annotation bool
	}
	for name, c := range map[string]struct {
		asked
		atStart, later bool
	}{
		"the policy":                          {asked{lwsv1.RestartPolicyRecreateGroupAfterStart, false}, false, true},
		"the annotation":                      {asked{lwsv1.RestartPolicyRecreateGroupOnPodRestart, true}, false, true},
		"both":                                {asked{lwsv1.RestartPolicyRecreateGroupAfterStart, true}, false, true},
		"neither":                             {asked{lwsv1.RestartPolicyRecreateGroupOnPodRestart, false}, true, true},
		"the annotation with the policy None": {asked{lwsv1.RestartPolicyNone, true}, false, false},
	} {
		for state, change := range starting {
			t.Run(name+"/"+state, func(t *testing.T) {
				spec := template("a", 3)
				spec.LeaderWorkerTemplate.RestartPolicy = c.policy
				content := revision.Of(&spec)
				o := whole(spec, content)
				if c.annotation {
					o.set.Annotations = map[string]string{lwsv1.AnnotationRecreateGroupAfterStart: "true"}
				}
				initRestarted(o.leader)
				change(o)
				want := c.atStart
				if started[state] {
					want = c.later
				}
				if got := recreation(o, content) != ""; got != want {
					t.Errorf("recreated: %v, want %v", got, want)
				}
			})
		}
	}
}

// The policy, and the size that counts, are those of the group's own revision.
func TestRecreationFollowsTheGroupsRevision(t *testing.T) {
	none, after := template("a", 3), template("a", 2)
	none.LeaderWorkerTemplate.RestartPolicy = lwsv1.RestartPolicyNone
	after.LeaderWorkerTemplate.RestartPolicy = lwsv1.RestartPolicyRecreateGroupAfterStart
	for name, c := range map[string]struct {
		group, set lwsv1.LeaderWorkerSetSpec
		want       string
	}{
		"the set does not recreate any more":    {template("a", 3), none, "pod demo-4-1 restarted container engine"},
		"the set has come to recreate":          {none, template("a", 3), ""},
		"the set has grown, the group is whole": {after, template("a", 5), "pod demo-4-1 restarted container engine"},
	} {
		t.Run(name, func(t *testing.T) {
			content := revision.Of(&c.group)
			o := whole(c.set, content)
			restarted(o.pods[0])
			if diff := cmp.Diff(c.want, recreation(o, content)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestALeaderAloneIsRecreatedForItself(t *testing.T) {
	spec := template("a", 1)
	spec.LeaderWorkerTemplate.RestartPolicy = lwsv1.RestartPolicyRecreateGroupAfterStart
	content := revision.Of(&spec)
	o := whole(spec, content)
	restarted(o.leader)
	if got := recreation(o, content); got == "" {
		t.Error("not recreated, want it to be")
	}
}
