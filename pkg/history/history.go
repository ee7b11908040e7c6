// Package history reads revisions: those of a set in its cluster, and the hub's store behind them.
//
// The hub keeps one ControllerRevision for each key that it has seen of a set, in the set's namespace,
// named and labelled as a member's. It is the store of record: what a member lost is restored from it.
package history

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// ForSet lists the revisions of the set in the cluster that reader reads, by index. Revisions of a deleted
// set of the same name are left out.
func ForSet(ctx context.Context, reader client.Reader, set *lwsv1.LeaderWorkerSet) ([]*appsv1.ControllerRevision, error) {
	all, err := OfName(ctx, reader, client.ObjectKeyFromObject(set))
	if err != nil {
		return nil, err
	}
	var own []*appsv1.ControllerRevision
	for _, r := range all {
		if revision.Belongs(r, set) {
			own = append(own, r)
		}
	}
	return own, nil
}

// Store reads the hub's store.
type Store struct {
	// Hub reads the hub, by index.
	Hub client.Reader
}

// Contents returns what the hub knows of the set's revisions, by key. Revisions that cannot be decoded are
// left out: they can restore nothing.
func (s Store) Contents(ctx context.Context, set client.ObjectKey) (map[string]revision.Content, error) {
	all, err := OfName(ctx, s.Hub, set)
	if err != nil {
		return nil, fmt.Errorf("read the hub's history: %w", err)
	}
	contents := make(map[string]revision.Content, len(all))
	for _, r := range all {
		if content, err := revision.Decode(r); err == nil && revision.KeyOf(r) != "" {
			contents[revision.KeyOf(r)] = content
		}
	}
	return contents, nil
}

// OfName lists the revisions that carry the set's name, by index, whichever set of that name they are of.
func OfName(ctx context.Context, reader client.Reader, set client.ObjectKey) ([]*appsv1.ControllerRevision, error) {
	list := &appsv1.ControllerRevisionList{}
	if err := reader.List(ctx, list, client.InNamespace(set.Namespace), client.MatchingFields{fleet.IndexSet: set.Name}); err != nil {
		return nil, fmt.Errorf("list revisions of set %q: %w", set, err)
	}
	all := make([]*appsv1.ControllerRevision, len(list.Items))
	for i := range list.Items {
		all[i] = &list.Items[i]
	}
	return all, nil
}
