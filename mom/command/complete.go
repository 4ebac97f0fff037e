package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// Values has a shell complete the values of a flag that takes these alone.
func Values(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, word string) (found []string, _ cobra.ShellCompDirective) {
		for _, v := range values {
			if strings.HasPrefix(v, word) {
				found = append(found, v)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err) // the flag is not there: a fault of the program
	}
}
