package v1alpha1

import "k8s.io/apimachinery/pkg/util/sets"

// ClustersOf are the names, sorted, of the clusters that may have the placement's set: where it should run, and
// where it was and is not known to be gone.
func ClustersOf(p *Placement) []string {
	names := sets.New[string]()
	for _, c := range p.Spec.Clusters {
		names.Insert(c.Name)
	}
	for _, c := range p.Status.Clusters {
		names.Insert(c.Name)
	}
	return sets.List(names)
}
