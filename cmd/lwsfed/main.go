// Command lwsfed is the hub: it runs LeaderWorkerSets across the member clusters.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// version is set when the program is built.
var version = "unknown"

func main() {
	if err := command().ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "lwsfed:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var o options
	var logging zap.Options
	cmd := &cobra.Command{
		Use:           "lwsfed",
		Short:         "Run LeaderWorkerSets across clusters",
		Version:       version,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))
			klog.SetLogger(ctrl.Log) // client-go's lines have the same form
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the hub; empty means the pod's own service account, $KUBECONFIG or ~/.kube/config")
	flags.BoolVar(&o.leaderElect, "leader-elect", true, "act only while holding the lease lwsfed in "+v1alpha1.SystemNamespace)
	flags.DurationVar(&o.leaseDuration, "leader-elect-lease-duration", 15*time.Second, "how long another process waits for a holder that went without a word")
	flags.DurationVar(&o.renewDeadline, "leader-elect-renew-deadline", 10*time.Second, "how long the holder tries to renew the lease before it ends; below the lease duration")
	flags.DurationVar(&o.retryPeriod, "leader-elect-retry-period", 2*time.Second, "how long to wait between two attempts at the lease")
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", ":8080", "address of /metrics; 0 turns it off")
	flags.StringVar(&o.healthAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0 turns it off")
	flags.StringVar(&o.pprofAddress, "pprof-bind-address", "", "address of /debug/pprof; empty turns it off")
	flags.StringVar(&o.hubID, "hub-id", "", "id of this hub on its objects in members; empty means the UID of the hub's namespace kube-system")
	zapFlags := flag.NewFlagSet("zap", flag.ContinueOnError)
	logging.BindFlags(zapFlags)
	flags.AddGoFlagSet(zapFlags)
	return cmd
}
