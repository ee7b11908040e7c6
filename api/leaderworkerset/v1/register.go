package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of this package.
var GroupVersion = schema.GroupVersion{Group: "leaderworkerset.x-k8s.io", Version: "v1"}

// Kind is the kind of a LeaderWorkerSet.
const Kind = "LeaderWorkerSet"

// AddToScheme registers the types of this package.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &LeaderWorkerSet{}, &LeaderWorkerSetList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
