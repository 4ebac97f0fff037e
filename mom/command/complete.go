package command

import "github.com/spf13/cobra"

// Values has a shell complete the values of a flag that takes these alone.
func Values(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return begun(values, word), cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err) // the flag is not there: a fault of the program
	}
}
