package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"roughcut/server/operator"
	"roughcut/server/problem"
	"roughcut/store"
)

func adminCommand(build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "admin",
		Short: "Manage accounts",
		RunE:  needCommand,
	}
	cmd.AddCommand(
		createUserCommand(build), createTokenCommand(build), setTierCommand(build), grantAdminCommand(build),
		listUsersCommand(build),
	)
	return cmd
}

func createUserCommand(build Build) *cobra.Command {
	var n operator.NewAccount
	var fromStdin bool
	cmd := &cobra.Command{
		Use:   "create-user --email E --name N --username U --password-stdin",
		Short: "Create an account",
		Long: `Create an account with a verified email address. The first account becomes an admin. The command works
whether or not the server is running.`,
		Example: `  roughcut admin create-user --email ada@example.org --name Ada --username ada \
    --password-stdin <password.txt`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !fromStdin {
				return usageError{errors.New("pass the password on standard input and add --password-stdin")}
			}
			line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 1<<16)).ReadString('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("reading the password: %w", err)
			}
			n.Password = strings.TrimRight(line, "\r\n")
			made, err := requestOperator[operator.Account](cmd, build, http.MethodPost, "/users", n)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(
				cmd.OutOrStdout(), "created %s (%s)%s\n", made.Email, made.UUID,
				map[bool]string{true: ", an admin"}[made.Admin],
			)
			return err
		},
	}
	cmd.Flags().StringVar(&n.Email, "email", "", "email address, used to sign in")
	cmd.Flags().StringVar(&n.Name, "name", "", "display name")
	cmd.Flags().StringVar(&n.Username, "username", "", "3 to 40 characters of A-Z a-z 0-9 _ . -, unique")
	cmd.Flags().BoolVar(&n.Admin, "admin", false, "make the account an admin")
	cmd.Flags().BoolVar(
		&fromStdin, "password-stdin", false, "read the password, 10 to 200 characters, from standard input",
	)
	requireFlags(cmd, "email", "name", "username")
	return cmd
}

func createTokenCommand(build Build) *cobra.Command {
	var n operator.NewToken
	var scope string
	cmd := &cobra.Command{
		Use:   "create-token --email E --name N",
		Short: "Create an access token of an account",
		Long: `Create an access token of an account and print it. Programs send it to the API as "Authorization: Bearer
TOKEN". It is printed only once; the account lists and revokes its tokens in the settings under Security. The
command works whether or not the server is running.`,
		Example: `  roughcut admin create-token --email ada@example.org --name backup --scope read --expires 90
  TOKEN=$(roughcut admin create-token --email ada@example.org --name publisher)`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if scope != "all" && scope != "read" {
				return usageError{fmt.Errorf("--scope must be all or read, not %q", scope)}
			}
			n.ReadOnly = scope == "read"
			made, err := requestOperator[operator.Token](cmd, build, http.MethodPost, "/tokens", n)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), made.Token)
			return err
		},
	}
	cmd.Flags().StringVar(&n.Email, "email", "", "email address of the account")
	cmd.Flags().StringVar(&n.Name, "name", "", "name of the token in the settings, such as its program")
	cmd.Flags().StringVar(&scope, "scope", "all", "all, or read to change nothing")
	cmd.Flags().StringVar(&n.ProjectUUID, "project", "", "UUID of the only project that the token can use")
	cmd.Flags().IntVar(&n.ExpiresInDays, "expires", 0, "days until the token expires (default: never)")
	requireFlags(cmd, "email", "name")
	return cmd
}

func setTierCommand(build Build) *cobra.Command {
	var c operator.TierChange
	cmd := &cobra.Command{
		Use:   "set-tier --email E --tier T",
		Short: "Change the tier of an account",
		Long: `Change the tier of an account, without a charge. The command works whether or not the server is
running.`,
		Example: "  roughcut admin set-tier --email ada@example.org --tier creator",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			changed, err := requestOperator[operator.Account](cmd, build, http.MethodPut, "/users/tier", c)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is on tier %s\n", changed.Email, changed.Tier)
			return err
		},
	}
	cmd.Flags().StringVar(&c.Email, "email", "", "email address of the account")
	cmd.Flags().StringVar((*string)(&c.Tier), "tier", "", "free, hobby, creator or viral")
	requireFlags(cmd, "email", "tier")
	return cmd
}

func grantAdminCommand(build Build) *cobra.Command {
	var g operator.AdminGrant
	cmd := &cobra.Command{
		Use:   "grant-admin --email E",
		Short: "Make an account an admin",
		Long: `Make an account an admin. Admins manage accounts, invitations, mail and speech models in the web UI. The
command works whether or not the server is running.`,
		Example: "  roughcut admin grant-admin --email ada@example.org",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			changed, err := requestOperator[operator.Account](cmd, build, http.MethodPut, "/users/admin", g)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is now an admin\n", changed.Email)
			return err
		},
	}
	cmd.Flags().StringVar(&g.Email, "email", "", "email address of the account")
	requireFlags(cmd, "email")
	return cmd
}

func listUsersCommand(build Build) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list-users",
		Short: "List all accounts",
		Long:  `List all accounts with projects and storage. The command works whether or not the server is running.`,
		Example: `  roughcut admin list-users
  roughcut admin list-users --json`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := requestOperator[[]operator.Account](cmd, build, http.MethodGet, "/users", nil)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, all)
			}

			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			settings, err := operatorSettings(cmd)
			if err != nil {
				return err
			}
			head, tier := "", func(operator.Account) string { return "" }
			if settings.metered() {
				head = "TIER\tSTATUS\t"
				tier = func(a operator.Account) string { return string(a.Tier) + "\t" + a.Status + "\t" }
			}

			fmt.Fprintln(table, "EMAIL\tUSERNAME\tNAME\t"+head+"ADMIN\tVERIFIED\tPROJECTS\tBYTES")
			for _, a := range all {
				fmt.Fprintf(
					table, "%s\t%s\t%q\t%s%t\t%t\t%d\t%d\n", a.Email, a.Username, a.Name, tier(a),
					a.Admin, a.EmailVerified, a.ProjectCount, a.StorageUsedBytes,
				)
			}

			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// requireFlags makes flags mandatory and refuses empty values.
func requireFlags(cmd *cobra.Command, names ...string) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, name := range names {
			if value, err := cmd.Flags().GetString(name); err != nil || strings.TrimSpace(value) == "" {
				return usageError{fmt.Errorf("--%s is missing, see %s --help", name, cmd.CommandPath())}
			}
		}

		return nil
	}
}

// needDataDir reports a data directory that does not exist, so that a typo does not create one.
func needDataDir(s settings) error {
	_, err := os.Stat(s.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(
			"the data directory %s does not exist, use --data-dir to name the data directory of the server", s.DataDir,
		)
	}

	return err
}

// requestOperator sends a request to the operator API and decodes the response.
func requestOperator[T any](cmd *cobra.Command, build Build, method, path string, body any) (result T, err error) {
	settings, err := operatorSettings(cmd)
	if err != nil {
		return result, err
	}
	// Only create-user may create the data directory. For the other commands a missing one is
	// probably the wrong one.
	if method != http.MethodPost || path != "/users" {
		if err := needDataDir(settings); err != nil {
			return result, err
		}
	}

	err = withOperator(cmd.Context(), build, settings, func(client *http.Client) error {
		return requestJSON(cmd.Context(), client, method, path, body, &result)
	})
	if store.IsKind(err, store.Unprocessable) {
		err = usageError{err}
	}
	return result, err
}

func requestJSON(ctx context.Context, client *http.Client, method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, operator.URL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("calling the server: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return problem.Read(response)
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("reading the response of the server: %w", err)
	}
	return nil
}
