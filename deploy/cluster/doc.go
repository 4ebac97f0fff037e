// Package cluster is the configuration of docker-compose.cluster.yml and its tests: two tops that act
// as one, three nodes below both, a minion below each, and a Galera cluster of three.
//
//	NODE/      what NODE has in /etc/salt
//	galera.sh  starts a server: it joins the cluster or founds it
package cluster
