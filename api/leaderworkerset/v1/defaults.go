package v1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// Default fills what the CRD defaults, in place. It is for objects that did not pass the CRD of this
// version: ones stored before a default was added, and the content of old revisions.
func Default(spec *LeaderWorkerSetSpec) {
	setDefault(&spec.Replicas, 1)
	if spec.RolloutStrategy.Type == "" {
		spec.RolloutStrategy.Type = RollingUpdate
	}
	if spec.RolloutStrategy.RollingUpdateConfiguration == nil {
		spec.RolloutStrategy.RollingUpdateConfiguration = &RollingUpdateConfiguration{MaxUnavailable: intstr.FromInt32(1)}
	}
	setDefault(&spec.RolloutStrategy.RollingUpdateConfiguration.Partition, 0)
	if spec.StartupPolicy == "" {
		spec.StartupPolicy = StartupPolicyLeaderCreated
	}
	DefaultTemplate(&spec.LeaderWorkerTemplate)
	spec.NetworkConfig = DefaultNetworkConfig(spec.NetworkConfig)
}

// DefaultTemplate fills what the CRD defaults in a group template, in place, and stores the restart
// policy Default as None.
func DefaultTemplate(t *LeaderWorkerTemplate) {
	setDefault(&t.Size, 1)
	switch t.RestartPolicy {
	case "":
		t.RestartPolicy = RestartPolicyRecreateGroupOnPodRestart
	case RestartPolicyDefault:
		t.RestartPolicy = RestartPolicyNone
	}
	if t.SubGroupPolicy != nil {
		setDefault(&t.SubGroupPolicy.Type, SubGroupPolicyTypeLeaderWorker)
	}
}

// DefaultNetworkConfig returns c, or a Shared subdomain where c leaves the policy open. It does not
// change c.
func DefaultNetworkConfig(c *NetworkConfig) *NetworkConfig {
	if c != nil && c.SubdomainPolicy != nil {
		return c
	}
	return &NetworkConfig{SubdomainPolicy: ptr.To(SubdomainShared)}
}

func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
