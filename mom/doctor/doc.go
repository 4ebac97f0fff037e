// Package doctor is the command mom doctor: it reads the folder of a Python master, and
// tells before anything is started what of it will work here, what will not, and what to
// do. It changes nothing, connects to nobody and runs no code of the folder.
// The daemons are constructed by their own code ([daemons.TryMaster]), on a copy of the
// configuration.
//
// Each area is looked at by one file, which enters its check in [checks]. What is known and
// what is served, a check asks of the registries of this program, so that it cannot say
// something else than the master does.
package doctor
