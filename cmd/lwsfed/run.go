package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/bootstrap"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

const (
	// startTimeout bounds what is asked of the hub before the manager starts.
	startTimeout = 15 * time.Second
	// stopTimeout bounds the graceful stop.
	stopTimeout = 10 * time.Second
)

// options are the flags.
type options struct {
	kubeconfig, hubID                           string
	metricsAddress, healthAddress, pprofAddress string
	leaderElect                                 bool
	leaseDuration, renewDeadline, retryPeriod   time.Duration
}

// run runs the hub until ctx ends.
func run(ctx context.Context, o options) error {
	config, err := hubConfig(o.kubeconfig)
	if err != nil {
		return fmt.Errorf("load the hub's kubeconfig: %w", err)
	}
	if o.hubID == "" {
		if o.hubID, err = clusterUID(ctx, config); err != nil {
			return err
		}
	}
	members := fleet.New(fleet.Options{Log: ctrl.Log.WithName("fleet"), Prepare: bootstrap.Run})
	mgr, err := mcmanager.New(config, members, managerOptions(o))
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	if err := addIndexes(ctx, mgr); err != nil {
		return err
	}
	if err := addControllers(mgr, members, o.hubID); err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add the health check: %w", err)
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add the readiness check: %w", err)
	}
	ctrl.Log.Info("Starting", "version", version, "hub", o.hubID)
	return mgr.Start(ctx)
}

func hubConfig(kubeconfig string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, err
	}
	// The hub's API server shares its capacity by itself.
	config.QPS, config.Burst = -1, -1
	return config, nil
}

// clusterUID is the UID of the namespace kube-system, by which a cluster is known.
func clusterUID(ctx context.Context, config *rest.Config) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	c, err := client.New(config, client.Options{Scheme: fleet.NewScheme()})
	if err != nil {
		return "", fmt.Errorf("reach the hub: %w", err)
	}
	system := &corev1.Namespace{}
	if err := c.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return "", fmt.Errorf("read the hub's identity: %w", err)
	}
	return string(system.UID), nil
}

func managerOptions(o options) manager.Options {
	stop := stopTimeout
	return manager.Options{
		Scheme:                        fleet.NewScheme(),
		Logger:                        ctrl.Log,
		Metrics:                       metricsserver.Options{BindAddress: o.metricsAddress},
		HealthProbeBindAddress:        o.healthAddress,
		PprofBindAddress:              o.pprofAddress,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              "lwsfed",
		LeaderElectionNamespace:       v1alpha1.SystemNamespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &o.leaseDuration,
		RenewDeadline:                 &o.renewDeadline,
		RetryPeriod:                   &o.retryPeriod,
		GracefulShutdownTimeout:       &stop,
		Client:                        client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Cache: cache.Options{
			DefaultTransform: cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&corev1.Secret{}:             {Namespaces: map[string]cache.Config{v1alpha1.SystemNamespace: {}}},
				&appsv1.ControllerRevision{}: {Label: ofSets()},
			},
		},
	}
}

func ofSets() labels.Selector {
	named, err := labels.NewRequirement(lwsv1.LabelName, selection.Exists, nil)
	if err != nil {
		panic(fmt.Sprintf("label %s: %v", lwsv1.LabelName, err)) // The key is a constant.
	}
	return labels.NewSelector().Add(*named)
}

// addIndexes gives the hub's cache the index by which a set's history is read.
func addIndexes(ctx context.Context, mgr mcmanager.Manager) error {
	indexer := mgr.GetLocalManager().GetFieldIndexer()
	err := indexer.IndexField(ctx, &appsv1.ControllerRevision{}, fleet.IndexSet, func(o client.Object) []string {
		return []string{o.GetLabels()[lwsv1.LabelName]}
	})
	if err != nil {
		return fmt.Errorf("index revisions: %w", err)
	}
	return nil
}
