// Package v1 holds the LeaderWorkerSet types of API group leaderworkerset.x-k8s.io/v1.
//
// The types are lwsfed's own. They are wire-compatible with the CRD that upstream LWS ships: the same
// fields, defaults, enums, print columns, short name and scale subresource, so that a manifest written
// for upstream applies unchanged on the hub and on members. Validation lives in the CRD alone
// (OpenAPI and CEL), and Default repeats in Go what the CRD defaults, for objects stored before a
// default existed.
//
// +kubebuilder:object:generate=true
// +groupName=leaderworkerset.x-k8s.io
package v1
