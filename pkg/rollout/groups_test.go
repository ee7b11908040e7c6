package rollout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// observed builds groups from one letter each: o old, O old and ready, n updated, N updated and ready,
// b old and broken, - absent.
func observed(letters string) []Group {
	var groups []Group
	for i, l := range letters {
		switch l {
		case 'o':
			groups = append(groups, Group{Ordinal: i, Key: "old"})
		case 'O':
			groups = append(groups, Group{Ordinal: i, Key: "old", Ready: true})
		case 'n':
			groups = append(groups, Group{Ordinal: i, Key: "new", Updated: true})
		case 'N':
			groups = append(groups, Group{Ordinal: i, Key: "new", Updated: true, Ready: true})
		case 'b':
			groups = append(groups, Group{Ordinal: i, Key: "old", Broken: true})
		}
	}
	return groups
}

// at is the snapshot of a set under update.
func at(r, u, s, partition, n, p int, letters string) Snapshot {
	return Snapshot{
		Replicas: r, MaxUnavailable: u, MaxSurge: s, Partition: partition, Exists: true, Updating: true, Key: "new",
		StatefulSetReplicas: n, StatefulSetPartition: p, Groups: observed(letters),
	}
}

func starting(s Snapshot) Snapshot {
	s.NewTemplate = true
	return s
}

func resting(s Snapshot) Snapshot {
	s.Updating = false
	return s
}

func TestPlanGroups(t *testing.T) {
	for name, c := range map[string]struct {
		in   Snapshot
		want Plan
	}{
		"creation makes all groups at once whatever the partition and the surge": {
			Snapshot{Replicas: 4, MaxUnavailable: 1, MaxSurge: 2, Partition: 3},
			Plan{Replicas: 4, Partition: 0, MaxUnavailable: 3, Reason: "creating 4 groups"},
		},
		"creation under way adds no surge": {
			resting(at(3, 1, 1, 0, 3, 0, "nN-")),
			Plan{Replicas: 3, Partition: 0, MaxUnavailable: 2, Reason: "waiting for 2 of 3 groups to be ready"},
		},
		"a new template moves nothing before it is in": {
			starting(at(4, 1, 1, 0, 4, 0, "OOOO")),
			Plan{Replicas: 5, Partition: 4, MaxUnavailable: 2, Reason: "starting the update of 4 groups with 1 surge"},
		},
		"a new template with more replicas scales first": {
			starting(at(4, 1, 1, 0, 2, 0, "OO")),
			Plan{Replicas: 4, Partition: 2, MaxUnavailable: 2, Reason: "scaling up from 2 to 4 groups before anything else"},
		},
		"a new template with fewer replicas drops what is beyond the surge": {
			starting(at(2, 1, 1, 0, 5, 0, "OOOOO")),
			Plan{Replicas: 3, Partition: 2, MaxUnavailable: 2, Reason: "starting the update of 2 groups with 1 surge"},
		},
		"a new template spares the surge groups that stand in for wanted ones": {
			starting(at(3, 0, 1, 0, 4, 1, "Oo-O")),
			Plan{Replicas: 4, Partition: 4, MaxUnavailable: 1, Reason: "starting the update of 3 groups with 1 surge"},
		},
		"a new template above every group updates none": {
			starting(at(3, 1, 1, 9, 3, 3, "OOO")),
			Plan{Replicas: 3, Partition: 3, MaxUnavailable: 2, Reason: "starting the update of 3 groups"},
		},
		"the first step takes u groups from the top": {
			at(8, 1, 0, 0, 8, 8, "OOOOOOOO"),
			Plan{Replicas: 8, Partition: 7, MaxUnavailable: 1, Reason: "updating group 7 of 8: 1 of 1 unavailable"},
		},
		"as many as are allowed, not one by one": {
			at(8, 3, 0, 0, 8, 8, "OOOOOOOO"),
			Plan{Replicas: 8, Partition: 5, MaxUnavailable: 3, Reason: "updating groups 5 to 7 of 8: 3 of 3 unavailable"},
		},
		"a group the StatefulSet has not replaced yet is counted as down and is named": {
			at(4, 1, 0, 0, 4, 3, "OOOO"),
			Plan{Replicas: 4, Partition: 3, MaxUnavailable: 1, Replace: []int{3}, Reason: "waiting to update group 2 of 4: 1 of 1 unavailable"},
		},
		"a leader that is new already is not replaced for its workers": {
			at(2, 1, 0, 0, 2, 1, "On"),
			Plan{Replicas: 2, Partition: 1, MaxUnavailable: 1, Reason: "waiting to update group 0 of 2: 1 of 1 unavailable"},
		},
		"surge counts only when it is ready": {
			at(2, 0, 1, 0, 3, 2, "OOn"),
			Plan{Replicas: 3, Partition: 2, MaxUnavailable: 1, Reason: "waiting to update group 1 of 2: 0 of 0 unavailable"},
		},
		"an unready group below holds the update up": {
			at(4, 1, 0, 0, 4, 4, "OoOO"),
			Plan{Replicas: 4, Partition: 4, MaxUnavailable: 1, Reason: "waiting to update group 3 of 4: 1 of 1 unavailable"},
		},
		"a broken group below does not": {
			at(4, 1, 0, 0, 4, 4, "ObOO"),
			Plan{Replicas: 4, Partition: 3, MaxUnavailable: 1, Reason: "updating group 3 of 4: 2 of 1 unavailable"},
		},
		"unready and updated groups at the border are passed": {
			at(5, 1, 0, 0, 5, 5, "OOoNo"),
			Plan{Replicas: 5, Partition: 2, MaxUnavailable: 1, Reason: "updating groups 2 to 4 of 5: 2 of 1 unavailable"},
		},
		"a set that is down as a whole is updated as a whole": {
			at(4, 1, 0, 0, 4, 4, "ooo-"),
			Plan{Replicas: 4, Partition: 0, MaxUnavailable: 1, Reason: "updating groups 0 to 3 of 4: 4 of 1 unavailable"},
		},
		"the user's partition is the floor": {
			at(4, 4, 0, 2, 4, 4, "OOOO"),
			Plan{Replicas: 4, Partition: 2, MaxUnavailable: 4, Reason: "updating groups 2 to 3 of 4: 2 of 4 unavailable"},
		},
		"the partition does not rise with the user's in mid-update": {
			at(4, 1, 0, 4, 4, 2, "OONN"),
			Plan{Replicas: 4, Partition: 2, MaxUnavailable: 1, Done: true, Reason: "updated down to partition 2 of 4 groups"},
		},
		"surge is given back down to what exceeds u": {
			at(5, 1, 3, 0, 8, 0, "nnNNNNNN"),
			Plan{Replicas: 6, Partition: 0, MaxUnavailable: 4, Reason: "removing 2 surge, 1 left"},
		},
		"surge that stands in for a wanted group stays if the lower one is not ready": {
			at(2, 0, 2, 0, 4, 0, "nNnN"),
			Plan{Replicas: 4, Partition: 0, MaxUnavailable: 2, Reason: "waiting for 1 of 2 groups to be updated and ready"},
		},
		"surge goes when every group from the partition on is done": {
			at(4, 1, 1, 2, 5, 2, "OONNN"),
			Plan{Replicas: 4, Partition: 2, MaxUnavailable: 2, Reason: "removing 1 surge, 0 left"},
		},
		"the last old leader is gone and the surge still stays": {
			resting(at(1, 0, 1, 0, 2, 0, "-N")),
			Plan{Replicas: 2, Partition: 0, MaxUnavailable: 1, Reason: "waiting for 1 of 1 group to be ready"},
		},
		"replicas up in mid-update: the update waits": {
			at(6, 1, 0, 0, 4, 2, "OONN"),
			Plan{Replicas: 6, Partition: 2, MaxUnavailable: 1, Reason: "scaling up from 4 to 6 groups before anything else"},
		},
		"replicas down in mid-update: the partition comes down with them": {
			at(2, 1, 1, 0, 8, 6, "OOOOOONN"),
			Plan{Replicas: 3, Partition: 3, MaxUnavailable: 2, Reason: "scaling down from 8 to 3 groups"},
		},
		"scaling down at rest": {
			resting(at(2, 1, 1, 0, 5, 0, "NNNNN")),
			Plan{Replicas: 2, Partition: 0, MaxUnavailable: 2, Reason: "scaling down from 5 to 2 groups"},
		},
		"at rest the partition is the user's": {
			resting(at(4, 1, 0, 3, 4, 0, "NNNN")),
			Plan{Replicas: 4, Partition: 3, MaxUnavailable: 1, Reason: "setting partition 3"},
		},
		"at rest nothing is planned": {
			resting(at(4, 1, 1, 0, 4, 0, "NNNN")),
			Plan{Replicas: 4, Partition: 0, MaxUnavailable: 2, Done: true, Reason: "4 groups updated and ready"},
		},
		"at rest a partition above the replicas counts as the replicas": {
			resting(at(2, 1, 0, 9, 2, 2, "NN")),
			Plan{Replicas: 2, Partition: 2, MaxUnavailable: 1, Done: true, Reason: "2 groups updated and ready"},
		},
		"no groups are done at once": {
			at(0, 1, 1, 0, 0, 0, ""),
			Plan{Replicas: 0, Partition: 0, MaxUnavailable: 1, Done: true, Reason: "0 groups updated and ready"},
		},
		"both budgets zero count as one unavailable": {
			at(2, 0, 0, 0, 2, 2, "OO"),
			Plan{Replicas: 2, Partition: 1, MaxUnavailable: 1, Reason: "updating group 1 of 2: 1 of 1 unavailable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, PlanGroups(c.in)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if broken := violation(c.in, PlanGroups(c.in)); broken != "" {
				t.Error(broken)
			}
		})
	}
}
