package invariant

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// Watch notes in the journal what happens in a cluster, from now until ctx ends.
func Watch(ctx context.Context, config *rest.Config, j *Journal) error {
	watched, err := cache.New(config, cache.Options{Scheme: fleet.NewScheme()})
	if err != nil {
		return fmt.Errorf("watch %s: %w", config.Host, err)
	}
	go func() { _ = watched.Start(ctx) }() // It fails only when it is started twice.
	for _, kind := range []client.Object{
		&lwsv1.LeaderWorkerSet{}, &appsv1.ControllerRevision{}, &appsv1.StatefulSet{}, &corev1.Pod{},
	} {
		informer, err := watched.GetInformer(ctx, kind)
		if err != nil {
			return fmt.Errorf("watch %T in %s: %w", kind, config.Host, err)
		}
		registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { j.Seen(o.(client.Object)) },
			UpdateFunc: func(_, o any) { j.Seen(o.(client.Object)) },
			DeleteFunc: func(o any) {
				if lost, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
					o = lost.Obj // Its end was missed: it lives on in the journal up to its last version.
				}
				j.Gone(o.(client.Object))
			},
		})
		if err != nil {
			return fmt.Errorf("watch %T in %s: %w", kind, config.Host, err)
		}
		if !toolscache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
			return fmt.Errorf("watch %T in %s: %w", kind, config.Host, context.Cause(ctx))
		}
	}
	return nil
}
