# SPDX-License-Identifier: MIT
# Doxygen's filter for the public headers: shows them as a caller sees them, in Doxygen's dialect. Reads a header, writes
# it with
#   - every comment a documentation comment; one after a declaration on its line documents that declaration;
#   - a line of dashes as a group, indented lines of a comment as they are, the file's own comment, its first, as its page, without
#     the licence above it;
#   - fsr_sum(x, ...) in place of the macro fsr_sum and the function fsr_sum_at(at, x, ...); fsr_open in place of fsr_open_sized;
#   - a comment for several functions in a row on the first of them, and a reference to it on the others. A blank line, a
#     macro or another comment ends the row, so that a function does not inherit what is not about it.
function escaped(s) {
    gsub(/\\/, "\\\\", s)
    gsub(/[@<>#%]/, "\\\\&", s)
    return s
}

# The text of one line of a comment, without its stars.
function told(s) {
    sub(/\*\/[ \t]*$/, "", s)
    if (s ~ /^   ?/) {
        if (!verbatim)
            print "@verbatim"
        verbatim = 1
        print s
        return
    }
    if (verbatim)
        print "@endverbatim"
    verbatim = 0
    print escaped(s)
}

function comment_line(s) {
    told(s)
    if ($0 ~ /\*\/[ \t]*$/) {
        if (verbatim)
            print "@endverbatim"
        verbatim = inside = 0
        print "*/"
    }
}

/SPDX-License-Identifier/ {
    next
}

inside {
    line = $0
    sub(/^[ \t]*\*( |$)/, "", line)
    if (line ~ /^[ \t]*\*\/$/)
        line = ""
    comment_line(line)
    next
}

/^\/\* ----/ {
    line = $0
    gsub(/^\/\* -+ *| *-* *\*\/$/, "", line)
    print (grouped ? "/** @} */ " : "") "/** @name " escaped(line) " */ /** @{ */"
    grouped = 1
    covering = ""
    next
}

/^[ \t]*\/\*/ {
    line = $0
    sub(/^[ \t]*\/\* ?/, "", line)
    print "/** " (filed++ ? "" : "@file")
    inside = commented = 1
    covering = ""
    comment_line(line)
    next
}

/^#define fsr_[a-z0-9_]+\(\.\.\.\)/ {
    covering = ""
    print ""
    next
}

/^(FSR_API_BEGIN|FSR_API_END)$/ {
    if ($0 == "FSR_API_END" && grouped)
        print "/** @} */"
    next
}

{
    line = $0
    after = ""
    if (line !~ /^#/ && line !~ /\\$/ && match(line, /\/\*.*\*\/[ \t]*$/)) {
        after = substr(line, RSTART + 2, RLENGTH - 2)
        sub(/\*\/[ \t]*$/, "", after)
        line = substr(line, 1, RSTART - 1)
        after = "/**< " escaped(after) "*/"
    }
    if (line ~ /^(const )?[a-z][a-z0-9_]* \**fsr_[a-z0-9_]+\(/ || line ~ /^(const )?[a-z][a-z0-9_]* \*?fsr_[a-z0-9_]+\(/) {
        name = line
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        sub(/_(at|sized)$/, "", name)
        sub(/_at\(fsr_site at(, size_t size)?(, )?/, "(", line)
        sub(/_sized\(size_t (config_)?size, /, "(", line)
        if (commented)
            covering = name
        else if (covering != "" && after == "")
            print "/** Described with " covering "(). */"
    } else if (line !~ /^[ \t]+/) {
        covering = ""
    }
    commented = 0
    print line after
}
