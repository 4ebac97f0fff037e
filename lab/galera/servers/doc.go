// Package servers runs three MariaDB servers as one Galera cluster, each where it can be killed, frozen or cut off.
package servers
