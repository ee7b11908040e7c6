package fleet

import (
	"context"
	"fmt"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// handle is a cluster whose uncached reader and events have a deadline as its client has.
type handle struct {
	cluster.Cluster
	reader client.Reader
	events events.EventBroadcaster
}

// GetEventRecorder returns a recorder of events in the member.
func (h *handle) GetEventRecorder(name string) events.EventRecorder {
	return h.events.NewRecorder(h.GetScheme(), name)
}

// GetAPIReader returns the uncached reader.
func (h *handle) GetAPIReader() client.Reader { return h.reader }

// cachedKinds are the kinds that members' caches hold.
func cachedKinds() []client.Object {
	return []client.Object{
		&lwsv1.LeaderWorkerSet{}, &corev1.Pod{}, &appsv1.StatefulSet{}, &corev1.Service{}, &appsv1.ControllerRevision{},
	}
}

// newCluster makes the cluster of a member, with its informers registered but not started.
func (m *member) newCluster(ctx context.Context, c *connection, onWatchError toolscache.WatchErrorHandlerWithContext) (*handle, error) {
	f := m.fleet
	reader, err := c.call.client(f.scheme, f.mapper)
	if err != nil {
		return nil, fmt.Errorf("make the client: %w", err)
	}
	cl, err := cluster.New(c.watch.config, func(o *cluster.Options) {
		o.Scheme = f.scheme
		o.Logger = f.log.WithValues("cluster", m.name)
		o.HTTPClient = c.watch.http
		o.MapperProvider = func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return f.mapper, nil }
		o.Cache = cacheOptions(onWatchError)
		o.Client = client.Options{Cache: &client.CacheOptions{DisableFor: uncached(f.scheme, cachedKinds())}}
		o.NewClient = func(_ *rest.Config, opts client.Options) (client.Client, error) {
			opts.HTTPClient = c.call.http
			return client.New(c.call.config, opts)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("make the cluster: %w", err)
	}
	for _, obj := range cachedKinds() {
		// Before the cache has started even a blocking call returns at once, unsynced: wait for all of them later.
		if _, err := cl.GetCache().GetInformer(ctx, obj, cache.BlockUntilSynced(false)); err != nil {
			return nil, fmt.Errorf("make the cache of %T: %w", obj, err)
		}
	}
	for _, i := range f.currentIndexes() {
		if err := cl.GetFieldIndexer().IndexField(ctx, i.obj, i.field, i.extract); err != nil {
			return nil, fmt.Errorf("index %q of %T: %w", i.field, i.obj, err)
		}
	}
	broadcaster, err := newEvents(c, f.times.call)
	if err != nil {
		return nil, err
	}
	return &handle{Cluster: cl, reader: reader, events: broadcaster}, nil
}

func cacheOptions(onWatchError toolscache.WatchErrorHandlerWithContext) cache.Options {
	ofSets := selector(lwsv1.LabelName)
	return cache.Options{
		// A stray read of another kind is an error, not one more informer on every member.
		ReaderFailOnMissingInformer: true,
		DefaultTransform:            cache.TransformStripManagedFields(),
		DefaultWatchErrorHandler:    onWatchError,
		ByObject: map[client.Object]cache.ByObject{
			&lwsv1.LeaderWorkerSet{}: {},
			&corev1.Pod{}:            {Label: ofSets, Transform: trimPod},
			&appsv1.StatefulSet{}:    {Label: ofSets, Transform: trimStatefulSet},
			&corev1.Service{}:        {Label: ofSets},
			// StatefulSets copy their pods' labels to revisions of their own, one and more a group. Those carry an
			// index; ours do not.
			&appsv1.ControllerRevision{}: {Label: selector(lwsv1.LabelName, lwsv1.LabelWorkerIndex, lwsv1.LabelGroupIndex)},
		},
	}
}

// selector selects objects that have the first label and none of the others.
func selector(with string, without ...string) labels.Selector {
	s := labels.NewSelector()
	for i, key := range append([]string{with}, without...) {
		op := selection.DoesNotExist
		if i == 0 {
			op = selection.Exists
		}
		r, err := labels.NewRequirement(key, op, nil)
		utilruntime.Must(err)
		s = s.Add(*r)
	}
	return s
}
