// Package interop judges mom by Salt itself. Its tests join daemons and commands of
// this project with those of an installed Salt, in every place of the tree: above,
// below and beside each other.
//
// They run under the build tag saltpeer (`make interop`) and need the environment
// variable SALT_PEER: a folder whose bin/ holds salt, salt-call, salt-key,
// salt-master, salt-minion, salt-run and salt-syndic. With SALT_PEER3, a Salt that
// speaks version 3 of the request protocol (3006.12 and newer), each case runs with
// both. MOM names a built binary to be judged; without it the tests build one.
//
// All daemons listen on addresses of their own below 127.0.0.0/8 and live in a
// temporary folder; all of them are ended with the test that started them.
package interop
