# SPDX-License-Identifier: MIT
# Sourced: the functions that headers declare. public_prototypes CC FOLDER prints the declarations of those in
# FOLDER/fusor/*.h, one a line, public_functions their names. The preprocessor drops comments and macros; what stands in braces goes,
# and functions defined there; then each declaration that is no typedef has its function's name before the first parenthesis.
public_prototypes() {
    local header
    for header in "$2"/fusor/*.h; do
        echo "#include <fusor/$(basename "$header")>"
    done | "$1" -std=c11 -E -P -I"$2" -x c - | grep -v '^#' | tr '\n\t' '  ' | tr -s ' ' | awk '
        {
            depth = 0
            for (i = 1; i <= length($0); i++) {
                c = substr($0, i, 1)
                if (c == "{")
                    depth++
                else if (c == "}" && --depth == 0 && statement ~ /\) *$/)
                    statement = ""
                else if (c == ";" && depth == 0) {
                    tell(statement)
                    statement = ""
                } else if (c != "}" && depth == 0)
                    statement = statement c
            }
        }
        function tell(s) {
            if (s ~ /^ *typedef/ || !match(s, /fsr_[a-z0-9_]+ *\(/))
                return
            gsub(/^ +| +$/, "", s)
            print s
        }' | sort -u
}

public_functions() {
    public_prototypes "$1" "$2" | sed -E 's/^[^(]*(fsr_[a-z0-9_]+) *\(.*/\1/' | sort -u
}
