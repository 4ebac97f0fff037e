package command

// bashWords is what completion scripts for bash use of the package bash-completion, for
// shells without it: it joins again the words that bash splits at = and :, as
// _get_comp_words_by_ref -n =: does.
const bashWords = `# What this script uses of the package bash-completion, for shells without it.
if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
_get_comp_words_by_ref()
{
    local line=$COMP_LINE all=() at=0 i=0 w gap=''
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        w=${COMP_WORDS[i]}
        gap=${line%%"$w"*}
        line=${line#"$gap$w"}
        if ((i > 0)) && [[ -z $gap ]] && { [[ $w == *[=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; }; then
            all[${#all[@]}-1]+=$w
        else
            all+=("$w")
        fi
        if ((i == COMP_CWORD)); then
            at=$((${#all[@]} - 1))
        fi
    done
    words=("${all[@]}")
    cword=$at
    cur=${words[cword]}
    prev=''
    if ((cword > 0)); then
        prev=${words[cword - 1]}
    fi
}
fi
if ! declare -F __ltrim_colon_completions >/dev/null 2>&1; then
__ltrim_colon_completions()
{
    if [[ $1 == *:* && $COMP_WORDBREAKS == *:* ]]; then
        local prefix=${1%"${1##*:}"} i=${#COMPREPLY[*]}
        while ((i-- > 0)); do
            COMPREPLY[i]=${COMPREPLY[i]#"$prefix"}
        done
    fi
}
fi
`
