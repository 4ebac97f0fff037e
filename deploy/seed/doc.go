// Package seed gives the nodes of a tree each other's keys before any of them starts, so that no key is accepted and
// no master trusted at first sight.
//
// It reads the very configuration the daemons read: one folder per node, named as the address under which the
// other nodes know it, holding what that node has in /etc/salt. From `master` and `syndic_master` it knows who
// stands below whom. It makes the key pairs that are lacking, lays each public key into the accepted keys of the
// master above, admits each node there as a home for others, and pins that master's key below. Tops that name each
// other in cluster_peers accept and admit each other. It promises to be repeatable: a second run changes nothing, a
// replaced key is replaced on the other side too, and a key that an operator has rejected stays rejected and is an
// error. A tree with a fault gets no key at all.
//
// It needs to write the key folders of every node at once, which is right for containers and test rigs whose
// volumes lie on one machine. Elsewhere keys are accepted with salt-key and masters pinned with master_finger.
package seed
