package invariant

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// Watch notes in the journal what happens in a cluster, from now until ctx ends. What the journal has from an earlier
// watch, and is not there any more, is noted as lost.
//
// A watch whose API server was away comes back when it likes, one kind after the other. Where that matters, end it
// and begin another.
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
					j.Lost(lost.Obj.(client.Object))
					return
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
		there := map[types.UID]bool{}
		for _, o := range informer.(toolscache.SharedIndexInformer).GetStore().List() {
			there[o.(client.Object).GetUID()] = true
		}
		j.only(kind, there)
	}
	return nil
}
