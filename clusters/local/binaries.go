package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Programs of a fleet: the names of their binaries.
const (
	etcdProgram              = "etcd"
	apiServerProgram         = "kube-apiserver"
	controllerManagerProgram = "kube-controller-manager"
	schedulerProgram         = "kube-scheduler"
	kwokProgram              = "kwok"
)

// source says from which package of which pinned module a program is built.
type source struct {
	program string
	folder  string // below binaries/
	pkg     string
	module  string // whose version is the program's version
}

var sources = []source{
	{etcdProgram, "kubernetes", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"},
	{apiServerProgram, "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver", "k8s.io/kubernetes"},
	{controllerManagerProgram, "kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager", "k8s.io/kubernetes"},
	{schedulerProgram, "kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler", "k8s.io/kubernetes"},
	{kwokProgram, "kwok", "sigs.k8s.io/kwok/cmd/kwok", "sigs.k8s.io/kwok"},
}

// Build makes sure that the programs of a fleet are in the cache and returns their folder. The first
// build takes minutes; it writes one line a program to log. Processes that build at the same time wait
// for each other. The cache is $LWSFED_CACHE, else $XDG_CACHE_HOME/lwsfed, else ~/.cache/lwsfed.
func Build(ctx context.Context, log io.Writer) (string, error) {
	pins, err := pinFolder(ctx)
	if err != nil {
		return "", err
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	key, err := buildKey(ctx, pins)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(cache, "bin", key)
	if isFolder(bin) {
		return bin, nil
	}
	if err := os.MkdirAll(filepath.Dir(bin), 0o755); err != nil {
		return "", fmt.Errorf("make the binary cache: %w", err)
	}
	unlock, err := lockFile(ctx, bin+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if isFolder(bin) { // built by another process while this one waited
		return bin, nil
	}
	return bin, buildInto(ctx, pins, bin, log)
}

// buildInto fills a neighbour of bin and renames it, so that bin exists only when it is complete.
func buildInto(ctx context.Context, pins, bin string, log io.Writer) error {
	unfinished, err := os.MkdirTemp(filepath.Dir(bin), ".unfinished-")
	if err != nil {
		return fmt.Errorf("make a build folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(unfinished) }()
	for i, s := range sources {
		version, err := pinnedVersion(pins, s)
		if err != nil {
			return err
		}
		progress(log, "building %s %s (%d of %d)...", s.program, version, i+1, len(sources))
		if err := buildOne(ctx, pins, s, version, filepath.Join(unfinished, s.program)); err != nil {
			return fmt.Errorf("build %s %s: %w", s.program, version, err)
		}
	}
	if err := os.Chmod(unfinished, 0o755); err != nil {
		return fmt.Errorf("open the build folder to others: %w", err)
	}
	if err := os.Rename(unfinished, bin); err != nil {
		return fmt.Errorf("publish the binaries: %w", err)
	}
	progress(log, "binaries are in %s", bin)
	return nil
}

func buildOne(ctx context.Context, pins string, s source, version, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", linkerFlags(s, version), "-o", out, s.pkg)
	cmd.Dir = filepath.Join(pins, s.folder)
	cmd.Env = goEnvironment()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, lastLines(output, 20))
	}
	return nil
}

// linkerFlags stamps the version into the Kubernetes programs, which otherwise call themselves v0.0.0.
func linkerFlags(s source, version string) string {
	if s.module != "k8s.io/kubernetes" {
		return "-s -w"
	}
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	const component = "k8s.io/component-base/version"
	return fmt.Sprintf("-s -w -X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s -X k8s.io/client-go/pkg/version.gitVersion=%s",
		component, version, component, parts[0], component, parts[1], version)
}

var requirement = regexp.MustCompile(`(?m)^\s*(?:require )?(\S+) (v\d+\.\d+\.\S+)`)

func pinnedVersion(pins string, s source) (string, error) {
	file := filepath.Join(pins, s.folder, "go.mod")
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the pinned versions: %w", err)
	}
	for _, match := range requirement.FindAllSubmatch(content, -1) {
		if string(match[1]) == s.module {
			return string(match[2]), nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", file, s.module)
}
