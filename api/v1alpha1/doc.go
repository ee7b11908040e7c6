// Package v1alpha1 holds lwsfed's own API types: MemberCluster, PlacementPolicy and Placement.
//
// +kubebuilder:object:generate=true
// +groupName=lwsfed.io
package v1alpha1
