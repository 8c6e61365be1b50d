package catalog

// Cluster is a cluster that every lab declares.
type Cluster struct {
	Name, Kubernetes string
	FeatureGates     map[string]bool
}

// StandardClusters are the clusters that every lab declares, alike, so that
// labs take each other's from the pool and stand in one table.
func StandardClusters() []Cluster {
	return []Cluster{
		{Name: "v127", Kubernetes: "1.27"},
		{Name: "v128", Kubernetes: "1.28"},
		{Name: "v128_on", Kubernetes: "1.28", FeatureGates: map[string]bool{"SidecarContainers": true}},
		{Name: "v129", Kubernetes: "1.29"},
		{Name: "v133", Kubernetes: "1.33"},
		{Name: "v136", Kubernetes: "1.36"},
		{Name: "v137", Kubernetes: "1.37"},
	}
}
