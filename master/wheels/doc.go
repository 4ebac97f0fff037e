// Package wheels holds the functions that change the master remotely, mainly those that manage
// keys, like Salt's wheel modules. Each file registers its functions in init.
package wheels
