// Package momtest is the TestMain of packages whose tests run the built program.
package momtest
