package revision_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Keys are on objects that outlive every release: a key that changes here rolls every group of every fleet.
func TestKeysStayTheSameAcrossReleases(t *testing.T) {
	golden := filepath.Join("testdata", "keys.json")
	specs, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(specs) == 0 {
		t.Fatalf("no specs in testdata: %v", err)
	}
	got := map[string]string{}
	for _, file := range specs {
		got[filepath.Base(file)] = revision.Of(readSpec(t, file)).Key()
	}
	if *update {
		data, _ := json.MarshalIndent(got, "", "  ")
		if err := os.WriteFile(golden, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func readSpec(t *testing.T, file string) *lwsv1.LeaderWorkerSetSpec {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spec := &lwsv1.LeaderWorkerSetSpec{}
	if err := yaml.UnmarshalStrict(data, spec); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return spec
}

func template(image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}}}
}

func spec(image string, changes ...func(*lwsv1.LeaderWorkerSetSpec)) *lwsv1.LeaderWorkerSetSpec {
	s := &lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{WorkerTemplate: template(image), Size: ptr.To[int32](2)}}
	for _, change := range changes {
		change(s)
	}
	return s
}

func TestContentOfTheSameMeaningIsEqualAndHasTheSameKey(t *testing.T) {
	base := spec("a")
	for name, change := range map[string]func(*lwsv1.LeaderWorkerSetSpec){
		"defaults written out": func(s *lwsv1.LeaderWorkerSetSpec) { lwsv1.Default(s) },
		"replicas, rollout and startup are not content": func(s *lwsv1.LeaderWorkerSetSpec) {
			s.Replicas = ptr.To[int32](9)
			s.StartupPolicy = lwsv1.StartupPolicyLeaderReady
			s.RolloutStrategy.RollingUpdateConfiguration = &lwsv1.RollingUpdateConfiguration{Partition: ptr.To[int32](3)}
		},
		"an absent network is a shared subdomain": func(s *lwsv1.LeaderWorkerSetSpec) {
			s.NetworkConfig = &lwsv1.NetworkConfig{SubdomainPolicy: ptr.To(lwsv1.SubdomainShared)}
		},
		"empty maps and lists": func(s *lwsv1.LeaderWorkerSetSpec) {
			s.LeaderWorkerTemplate.WorkerTemplate.Labels = map[string]string{}
			s.LeaderWorkerTemplate.WorkerTemplate.Spec.Volumes = []corev1.Volume{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := revision.Of(base), revision.Of(spec("a", change))
			if !a.Equal(b) {
				t.Errorf("contents differ: %s", cmp.Diff(a, b))
			}
			if a.Key() != b.Key() {
				t.Errorf("keys differ: %s and %s", a.Key(), b.Key())
			}
		})
	}
}

func TestContentOfAnotherMeaningHasAnotherKey(t *testing.T) {
	keys := map[string]string{revision.Of(spec("a")).Key(): "base"}
	for name, change := range map[string]func(*lwsv1.LeaderWorkerSetSpec){
		"image": func(s *lwsv1.LeaderWorkerSetSpec) {
			s.LeaderWorkerTemplate.WorkerTemplate.Spec.Containers[0].Image = "b"
		},
		"size":            func(s *lwsv1.LeaderWorkerSetSpec) { s.LeaderWorkerTemplate.Size = ptr.To[int32](3) },
		"leader template": func(s *lwsv1.LeaderWorkerSetSpec) { s.LeaderWorkerTemplate.LeaderTemplate = ptr.To(template("a")) },
		"restart policy":  func(s *lwsv1.LeaderWorkerSetSpec) { s.LeaderWorkerTemplate.RestartPolicy = lwsv1.RestartPolicyNone },
		"subdomain": func(s *lwsv1.LeaderWorkerSetSpec) {
			s.NetworkConfig = &lwsv1.NetworkConfig{SubdomainPolicy: ptr.To(lwsv1.SubdomainUniquePerReplica)}
		},
	} {
		content := revision.Of(spec("a", change))
		if other, taken := keys[content.Key()]; taken {
			t.Errorf("%s has the key of %s", name, other)
		}
		keys[content.Key()] = name
		if content.Equal(revision.Of(spec("a"))) {
			t.Errorf("%s equals base", name)
		}
	}
}

func TestKeyIsALabelValueAndSaltChangesIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := revision.Of(spec(rapid.String().Draw(t, "image")))
		seen := map[string]bool{}
		for n := range rapid.IntRange(1, 5).Draw(t, "salts") {
			key := content.SaltedKey(n)
			if len(key) != 10 || strings.Trim(key, "bcdfghjklmnpqrstvwxz2456789") != "" {
				t.Fatalf("key %q", key)
			}
			if seen[key] {
				t.Fatalf("salt %d gave key %q again", n, key)
			}
			seen[key] = true
		}
	})
}

func TestEncodedContentDecodesToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := revision.Of(spec(rapid.String().Draw(t, "image"), func(s *lwsv1.LeaderWorkerSetSpec) {
			s.LeaderWorkerTemplate.Size = ptr.To(rapid.Int32Range(1, 64).Draw(t, "size"))
			if rapid.Bool().Draw(t, "leader") {
				s.LeaderWorkerTemplate.LeaderTemplate = ptr.To(template(rapid.String().Draw(t, "leaderImage")))
			}
		}))
		set := demo(spec("a"))
		back, err := revision.Decode(revision.New(set, content, content.Key(), 1))
		if err != nil {
			t.Fatal(err)
		}
		if !content.Equal(back) || content.Key() != back.Key() {
			t.Fatalf("(-want +got):\n%s", cmp.Diff(content, back))
		}
	})
}

func FuzzDecodeFailsOrGivesDefaultedContent(f *testing.F) {
	f.Add([]byte(`{"spec":{"leaderWorkerTemplate":{"$patch":"replace","workerTemplate":{"metadata":{"creationTimestamp":null}}},"networkConfig":null}}`))
	f.Add([]byte(`{"spec":{"$patch":"replace"}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := revision.New(demo(spec("a")), revision.Of(spec("a")), "k", 1)
		r.Data.Raw = data
		content, err := revision.Decode(r)
		if err != nil {
			return
		}
		if content.Size() < 1 || content.Subdomain() == "" || content.Key() == "" {
			t.Errorf("content without defaults: %+v", content)
		}
	})
}
