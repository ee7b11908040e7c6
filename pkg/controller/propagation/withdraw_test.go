package propagation

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// unchosen is the set that eu is to run no more.
func unchosen() observed {
	o := chosen()
	o.placement.Spec.Clusters = o.placement.Spec.Clusters[1:]
	return o
}

func TestWithdraw(t *testing.T) {
	const (
		waiting = "Leaving Leaving: waiting until its groups are gone"
		gone    = "Leaving Leaving: gone (clean)"
		theirs  = "Leaving Leaving: the set there is not the hub's (clean)"
	)
	for name, c := range map[string]struct {
		live   *lwsv1.LeaderWorkerSet
		policy v1alpha1.DeletionPolicy
		want   string
		writes []string
	}{
		"the set is there":                  {marked("hub", "set"), v1alpha1.DeletionDelete, waiting, []string{"delete"}},
		"no policy is known":                {marked("hub", "set"), "", waiting, []string{"delete"}},
		"it is being deleted":               {deleted(marked("hub", "set")), v1alpha1.DeletionDelete, waiting, nil},
		"it is gone":                        {nil, v1alpha1.DeletionDelete, gone, nil},
		"it lost its label":                 {marked("", "set"), v1alpha1.DeletionDelete, waiting, []string{"delete"}},
		"it is of an earlier set":           {marked("hub", "earlier"), v1alpha1.DeletionDelete, waiting, []string{"delete"}},
		"there is nobody's":                 {marked("", ""), v1alpha1.DeletionDelete, theirs, nil},
		"there is another hub's":            {marked("other", "set"), v1alpha1.DeletionDelete, theirs, nil},
		"it is to be left":                  {marked("hub", "set"), v1alpha1.DeletionOrphan, "Leaving Leaving: left running, as the policy says (clean)", []string{"patch"}},
		"it is to be left, but was deleted": {deleted(marked("hub", "set")), v1alpha1.DeletionOrphan, waiting, nil},
		"it is to be left, and gone":        {nil, v1alpha1.DeletionOrphan, gone, nil},
	} {
		for why, o := range map[string]observed{"not chosen": unchosen(), "the Placement is being deleted": chosen()} {
			t.Run(name+", "+why, func(t *testing.T) {
				if why != "not chosen" {
					o.placement.DeletionTimestamp, o.hub = &metav1.Time{}, nil
				}
				member := &answering{}
				o.member, o.live, o.placement.Spec.DeletionPolicy = member, c.live, c.policy
				outcome, err := reconciler().act(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, said(outcome)); diff != "" {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(c.writes, member.writes); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// A member is clean only if it is known to be: one whose answer failed is not.
func TestWithdrawThatFailsLeavesTheMemberUnclean(t *testing.T) {
	for name, policy := range map[string]v1alpha1.DeletionPolicy{"delete": v1alpha1.DeletionDelete, "release": v1alpha1.DeletionOrphan} {
		t.Run(name, func(t *testing.T) {
			o := unchosen()
			o.member, o.live, o.placement.Spec.DeletionPolicy = &answering{answers: []error{errors.New("away")}}, marked("hub", "set"), policy
			outcome, err := reconciler().act(t.Context(), o)
			if outcome != nil || err == nil {
				t.Errorf("outcome %q, error %v; want an error alone", said(outcome), err)
			}
			o.member = &answering{answers: []error{apierrors.NewNotFound(resource, "demo")}}
			if _, err := reconciler().act(t.Context(), o); err != nil {
				t.Errorf("gone in the meantime: %v", err)
			}
		})
	}
}

func TestWithdrawFromAClusterThatIsNoMember(t *testing.T) {
	o := unchosen()
	o.gone = true
	outcome, err := reconciler().act(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("Leaving Leaving: the cluster is no member any more (clean)", said(outcome)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A clean member is not asked again, unless a set appears there or the Placement is a new one.
func TestACleanMemberIsLeftAlone(t *testing.T) {
	r, o := reconciler(), unchosen()
	o.member = &answering{}
	first, err := r.act(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Outcomes.set(o.key, *first)
	if again, err := r.act(t.Context(), o); again != nil || err != nil {
		t.Errorf("again: outcome %q, error %v; want none", said(again), err)
	}
	back := o
	back.live = marked("hub", "set")
	if outcome, _ := r.act(t.Context(), back); outcome == nil || outcome.Clean {
		t.Errorf("with a set: outcome %q, want one that is not clean", said(outcome))
	}
	o.placement = o.placement.DeepCopy()
	o.placement.UID = "next"
	if outcome, _ := r.act(t.Context(), o); outcome == nil || outcome.PlacementUID != "next" {
		t.Errorf("under a new Placement: outcome %q, want one of its own", said(outcome))
	}
}
