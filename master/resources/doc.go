// Package resources records the resources of Salt 3008 that the minions of this master manage:
// devices without a key, for which a minion runs jobs and returns. Salt believes every minion about
// every resource. Here a resource belongs to the minion that registered it first, and an id with a
// key is never a resource.
package resources
