# Judges tool calls for test_risk.py. Runs with the files of the risk, with LC_ALL=C.
#
# Environment: RISKS  risk.tsv
# Standard input: for each call, a line with its project, a tab, and the hook's JSON. Standard output: for each call, a line with its
# risk and the reason.

BEGIN { if (!risks_load(ENVIRON["RISKS"])) refuse("the risk table cannot be read") }

{
    text = substr($0, index($0, "\t") + 1)
    parse()
    risk = call_risk(1, substr($0, 1, index($0, "\t") - 1))
    gsub(/[\t\n]/, " ", because)
    print risk_name[risk] "\t" because
}

function refuse(why) {
    print why > "/dev/stderr"
    exit 1
}
