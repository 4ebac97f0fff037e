// Package packages holds what the packages for Debian and for systems with rpm are made of;
// `make packages` builds them into build/packages. The package mom is the program, with
// units, pages, completion and the rotation of logs, and can stand beside Salt. mom-salt
// is Salt's names for it, and takes the place of Salt's packages.
package packages
