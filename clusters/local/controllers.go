package local

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

//go:embed stages/*.yaml
var stages embed.FS

// controlled reports whether the cluster has the programs that make pods run.
func (c *Cluster) controlled() bool { return c.name != HubName && !c.member.APIOnly }

// startControllers makes the nodes of a member and starts what acts on its objects.
func (c *Cluster) startControllers(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return fmt.Errorf("make client of %q: %w", c.name, err)
	}
	if err := grantKwok(ctx, client); err != nil {
		return fmt.Errorf("prepare kwok on %q: %w", c.name, err)
	}
	if err := keepKwokFromLivePods(ctx, client); err != nil {
		return fmt.Errorf("keep kwok from live pods: %w", err)
	}
	if err := createNodes(ctx, client, c.member); err != nil {
		return fmt.Errorf("create nodes of %q: %w", c.name, err)
	}
	group, groupContext := errgroup.WithContext(ctx)
	group.Go(func() error { return c.startControllerManagerFirst(groupContext) })
	group.Go(func() error { return c.startScheduler(groupContext) })
	group.Go(func() error { return c.startKwok() })
	if err := group.Wait(); err != nil {
		return err
	}
	for _, p := range []*program{c.controllerManager, c.scheduler, c.kwok} {
		p.supervise(func(ended error) {
			progress(c.fleet.options.Log, "%s of %s ended, starting it again: %v", p.name(), c.name, ended)
		})
	}
	return poll(ctx, func(ctx context.Context) error { return populated(ctx, client, c.member.Nodes) })
}

func (c *Cluster) startControllerManagerFirst(ctx context.Context) error {
	identity, err := c.programKubeconfig(controllerManagerProgram, "system:kube-controller-manager")
	if err != nil {
		return err
	}
	c.controllerManager = c.fleet.program(c.name, controllerManagerProgram)
	return c.fleet.retryOnClash(c.controllerManager, func() error {
		if c.controllerManagerPort, err = c.fleet.ports.next(); err != nil {
			return err
		}
		c.controllerManager.args = []string{
			"--kubeconfig=" + identity,
			"--use-service-account-credentials", // each controller with the rights it has in a real cluster
			"--service-account-private-key-file=" + c.tokenKey,
			"--root-ca-file=" + c.caFile,
			"--leader-elect=false",
			"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.controllerManagerPort),
			"--authorization-always-allow-paths=/healthz",
			"--kube-api-qps=1000", "--kube-api-burst=2000",
			"--concurrent-statefulset-syncs=30",
			"--controllers=*,-token-cleaner-controller,-bootstrap-signer-controller",
			"--node-monitor-grace-period=10m", // a frozen API server must not look like lost nodes
			"--profiling=false",
		}
		return c.controllerManager.startAndWait(ctx, healthy(c.controllerManagerPort, "/healthz"))
	})
}

func (c *Cluster) startScheduler(ctx context.Context) error {
	identity, err := c.programKubeconfig(schedulerProgram, "system:kube-scheduler")
	if err != nil {
		return err
	}
	c.scheduler = c.fleet.program(c.name, schedulerProgram)
	return c.fleet.retryOnClash(c.scheduler, func() error {
		port, err := c.fleet.ports.next()
		if err != nil {
			return err
		}
		c.scheduler.args = []string{
			"--kubeconfig=" + identity,
			"--leader-elect=false",
			"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
			"--authorization-always-allow-paths=/healthz",
			"--kube-api-qps=1000", "--kube-api-burst=2000",
			"--profiling=false",
		}
		return c.scheduler.startAndWait(ctx, healthy(port, "/healthz"))
	})
}

func (c *Cluster) startKwok() error {
	identity, err := c.programKubeconfig(kwokProgram, kwokUser)
	if err != nil {
		return err
	}
	names, err := fs.Glob(stages, "stages/*.yaml")
	if err != nil {
		return fmt.Errorf("list the stages of kwok: %w", err)
	}
	c.kwok = c.fleet.program(c.name, kwokProgram)
	c.kwok.args = []string{
		"--kubeconfig=" + identity, "--manage-all-nodes",
		"--cidr=10.0.0.1/16", "--node-lease-duration-seconds=200",
	}
	for _, name := range names {
		content, err := stages.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		content = bytes.ReplaceAll(content, []byte("READY_AFTER"), strconv.AppendInt(nil, c.member.ReadyAfter.Milliseconds(), 10))
		path, err := c.fleet.folder.secret(c.name, "kwok-"+name[len("stages/"):], content)
		if err != nil {
			return err
		}
		c.kwok.args = append(c.kwok.args, "--config="+path)
	}
	_, err = c.kwok.start()
	return err
}

func (c *Cluster) programKubeconfig(program, user string) (string, error) {
	encoded, err := c.certificateKubeconfig(user)
	if err != nil {
		return "", err
	}
	return c.fleet.folder.secret(c.name, program+".yaml", encoded)
}

// populated reports an error until the controllers have done what a new pod needs.
func populated(ctx context.Context, client kubernetes.Interface, nodes int) error {
	if _, err := client.CoreV1().ServiceAccounts(corev1.NamespaceDefault).Get(ctx, "default", getOptions); err != nil {
		return fmt.Errorf("default service account: %w", err)
	}
	list, err := client.CoreV1().Nodes().List(ctx, listOptions)
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	ready := 0
	for i := range list.Items {
		if len(list.Items[i].Spec.Taints) == 0 && nodeReady(&list.Items[i]) {
			ready++
		}
	}
	if ready < nodes {
		return fmt.Errorf("%d of %d nodes are ready", ready, nodes)
	}
	return nil
}

func nodeReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
