package leaderpod

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/pkg/history"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// content is that of the revision whose key the leader carries: the member's, else the hub's. Nil means that
// nobody knows it; the group waits, and is never given another. The member's revision itself is put back by
// the controller of the set, which sees it go.
func (r *Reconciler) content(ctx context.Context, b *builder) (*revision.Content, error) {
	key := revision.KeyOf(b.leader)
	revisions, err := history.ForSet(ctx, b.client, b.set)
	if err != nil {
		return nil, err
	}
	for _, candidate := range revisions {
		if revision.KeyOf(candidate) != key || candidate.DeletionTimestamp != nil {
			continue
		}
		if content, err := revision.Decode(candidate); err == nil {
			return &content, nil
		}
	}
	stored, err := r.Store.Contents(ctx, client.ObjectKeyFromObject(b.set))
	if err != nil {
		return nil, fmt.Errorf("find revision %q: %w", key, err)
	}
	if content, ok := stored[key]; ok {
		return &content, nil
	}
	if !b.ownsWorkers() {
		b.event(corev1.EventTypeWarning, "RevisionMissing", "CreateWorkers",
			"the group waits: no revision %q is left, here or on the hub, to make its workers from", key)
	}
	return nil, nil
}
