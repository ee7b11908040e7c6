package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const modulePath = "github.com/lwsfed/lwsfed"

// pinFolder finds the folder with the nested modules that pin the programs: beside this file, or,
// if the binary was built with -trimpath, in the module of the working directory.
func pinFolder(ctx context.Context) (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if folder := filepath.Join(filepath.Dir(file), "binaries"); isFolder(folder) {
			return folder, nil
		}
	}
	root, err := goOutput(ctx, "", "list", "-m", "-f", "{{.Dir}}", modulePath)
	if err != nil {
		return "", fmt.Errorf("find the sources of module %s: %w", modulePath, err)
	}
	folder := filepath.Join(root, "clusters", "local", "binaries")
	if !isFolder(folder) {
		return "", fmt.Errorf("module %s has no %s: run inside a checkout", modulePath, folder)
	}
	return folder, nil
}

// buildKey names a set of binaries by all that decides their content.
func buildKey(ctx context.Context, pins string) (string, error) {
	version, err := goOutput(ctx, pins, "env", "GOVERSION")
	if err != nil {
		return "", fmt.Errorf("ask for the Go version: %w", err)
	}
	sum := sha256.New()
	fmt.Fprintln(sum, version, runtime.GOOS, runtime.GOARCH)
	for _, folder := range []string{"kubernetes", "kwok"} {
		for _, name := range []string{"go.mod", "go.sum"} {
			content, err := os.ReadFile(filepath.Join(pins, folder, name))
			if err != nil {
				return "", fmt.Errorf("read the pinned versions: %w", err)
			}
			fmt.Fprintf(sum, "%d\n%s", len(content), content)
		}
	}
	for _, s := range sources {
		fmt.Fprintln(sum, s.program, s.pkg, linkerFlags(s, "v0.0.0"))
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func cacheFolder() (string, error) {
	if folder := os.Getenv("LWSFED_CACHE"); folder != "" {
		return filepath.Abs(folder)
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder (set LWSFED_CACHE): %w", err)
	}
	return filepath.Join(folder, "lwsfed"), nil
}

// lockFile waits for the only lock on a file. The kernel frees it if this process dies.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("wait for lock %s: %w", path, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = goEnvironment()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, lastLines(stderr.Bytes(), 5))
	}
	return string(bytes.TrimSpace(output)), nil
}

// goEnvironment keeps the caller's go flags and workspace out of the pinned modules.
func goEnvironment() []string {
	return append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
