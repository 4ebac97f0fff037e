// Package doctor is the command mom doctor: it reads the directory of a Python master, and
// reports, before anything is started, what will work here, what will not, and what to
// do. It changes nothing, makes no connections and runs no code of the directory.
// The daemons are constructed by their own code ([daemons.TryMaster]), on a copy of the
// configuration.
//
// Each file checks one area and adds its check to [checks]. Checks look names up in the
// registries of this program, so that they agree with the
// master.
package doctor
