#!/usr/bin/env python3
"""Who may include whom (docs/design.md), checked on every build.

Run from the root of the source tree. First shows on a tree made of violations
that each of them is caught, then checks the real one; --self-test stops after
the first part.
"""
import os
import re
import sys
import tempfile

# layer -> the layers whose headers it may include, besides its own and
# include/kith. Anything not listed is forbidden (I34).
LAYERS = {
    "base": set(),
    "kernel": {"base"},
    "noise": {"base", "kernel"},
    "budget": {"base"},
    # Stores of ledgers: files, databases. No row and no noise.
    "ledger": {"base", "budget"},
    # noise: the secret key of rows on disk.
    "data": {"base", "noise"},
    # How the ranks of a team talk. No row, no noise, no money.
    "ranks": {"base", "kernel"},
    "dp": {"base", "kernel", "noise", "budget", "data", "ranks"},
    "result": {"base"},
    "solver": {"base", "kernel"},
    # Releases that do not fit the gate's one path: the only ones to whom rows
    # are handed (release/rows_out.h). They cannot change a session.
    "sidedoor": {"base", "kernel", "noise", "budget", "dp", "release", "solver"},
    # Rarer exact releases on the gate's own frame: moments, swaps, features,
    # histograms over huge domains.
    "release": {"base", "kernel", "noise", "budget", "ranks", "dp"},
    "run": {"base", "budget", "dp", "result"},
    "lloyd": {"base", "kernel", "budget", "dp", "run", "result"},
    # Baselines of papers: as lloyd, and with the side door's blocks.
    "baseline": {"base", "kernel", "budget", "dp", "release", "sidedoor", "run",
                 "result", "lloyd"},
    "balcan": {"base", "kernel", "budget", "dp", "release", "sidedoor", "run", "result",
               "lloyd"},
    "auto": {"base", "kernel", "budget", "dp", "release", "solver", "run",
             "result", "lloyd"},
    "cluster": {"base", "kernel", "budget", "dp", "release", "run", "result", "lloyd",
                "balcan", "baseline", "auto"},
    "kmedian": {"base", "kernel", "budget", "dp", "release", "sidedoor", "run", "result",
                "lloyd", "balcan", "cluster"},
    "subspace": {"base", "kernel", "budget", "dp", "release", "sidedoor", "run",
                 "result", "solver"},
    "device": {"base"},
    "collect": {"base", "noise", "budget", "device"},
    "methods": {"base", "kernel", "device", "collect"},
    "simulate": {"base", "kernel", "noise", "budget", "data", "result",
                 "device", "collect", "methods"},
    # The service without HTTP (libkith-collect).
    "service": {"base", "noise", "budget", "device", "collect", "methods",
                "simulate"},
    "plain": {"base", "kernel", "data", "result", "solver"},
    "fit": {"base"},
}

# header -> the only layers that may include it, or come to it by what they
# include. Here the records live (I9).
RESERVED = {
    "data/fold.h": {"data", "dp", "release", "simulate", "plain"},
    "data/reader.h": {"data", "plain"},
    "budget/gdp.h": {"budget", "dp", "sidedoor"},
    "dp/dp_private.h": {"dp", "release"},
    "dp/ask_private.h": {"dp", "release"},
    "dp/price.h": {"dp", "release", "sidedoor"},
    "release/rows_out.h": {"release", "sidedoor"},
    "release/keys_out.h": {"release"},
    # A device draws secret coins through the same one door as the gate; the
    # simulator holds its users' coins.
    "noise/entropy.h": {"noise", "dp", "release", "sidedoor", "collect", "simulate",
                        "service"},
    "noise/sampler.h": {"noise", "dp", "release", "sidedoor", "simulate"},
    "noise/sampler_wishart.h": {"noise", "dp", "release"},
    "noise/normal_digits.h": {"noise"},
    "noise/noise.h": {"noise", "dp", "release", "sidedoor"},
    "noise/noise_wishart.h": {"noise", "dp", "release"},
    "noise/select.h": {"noise", "dp", "release"},
    "kernel/aggregate.h": {"kernel", "dp", "release", "sidedoor"},
    "sidedoor/blocks.h": {"sidedoor"},
    "sidedoor/block_planes.h": {"sidedoor"},
    "sidedoor/block_means.h": {"sidedoor"},
}

# outside header -> layers, or files, that may include it (sodium.h: I27).
OUTSIDE = {
    "cblas.h": {"kernel"},
    "lapacke.h": {"kernel"},
    "openblas_config.h": {"kernel"},
    "sodium.h": {"noise/entropy.c", "base/digest.c", "data/spill.c",
                 "service/seal.c",
                 "tools/verify/verify_signature.c",
                 "tools/kith/sign_minisign.c"},
    "gmp.h": {"budget", "noise"},
    "mpfr.h": {"budget", "noise", "release", "sidedoor"},
    "zlib.h": {"data", "tools/kith/report_png.c"},
    "zstd.h": {"data"},
    "jansson.h": {"tools", "collect", "result", "ledger", "service"},
    "sqlite3.h": {"ledger", "service/db_sqlite.c"},
    "libpq-fe.h": {"ledger", "service/db_postgresql.c"},
    "microhttpd.h": {"tools"},
    "curl/curl.h": {"tools"},
}

# What visits rows -> the only layers, or files, that may name it, by whatever
# header they know it. So rows that reach a chain come by the copy that marks
# the session: its result cannot be called exact (I34).
VISITS = {
    "kith_i_fold": {"data", "dp", "simulate", "plain"},
    "kith_i_fold_beside": {"data", "dp", "simulate", "plain"},
    "kith_i_dataset_derive": {"data", "dp"},
    "kith_i_session_fold": {"dp", "release"},
    "kith_i_tally_rows": {"dp", "release"},
    "kith_i_view_derive": {"dp"},
    "kith_i_chain_copy_open": {"release", "sidedoor/release_chain.c"},
    "kith_i_block_copy_open": {"release", "sidedoor/blocks.c",
                               "sidedoor/release_draws.c"},
    # a solver that sees rows, as a function: methods give a name
    "kith_i_release_blocks_by": {"sidedoor"},
}
VISIT = re.compile(r"\b(" + "|".join(VISITS) + r")\b")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def sources(root, *folders):
    """Paths below root, sorted, with forward slashes."""
    for folder in folders:
        for at, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".in")):
                    yield os.path.relpath(os.path.join(at, name), root)


def bare(text):
    """Comments become as many line ends, so that line numbers stay."""
    return COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)


def includes(text):
    """(line, quote, header) of every include that is not commented out."""
    text = bare(text)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, *match.groups()


def outside_problem(header, layer, inside):
    allowed = OUTSIDE.get(header)
    if allowed is None or layer in allowed or inside in allowed:
        return None
    return f"<{header}> belongs to {', '.join(sorted(allowed))}"


def inner_problem(root, layer, header):
    """What is wrong with a quoted include of a file in src/layer."""
    if ".." in header.split("/"):
        return f'"{header}": includes are rooted at src/, without ..'
    if header.startswith("kith/"):
        return None
    if "/" not in header:  # a neighbour in the same folder
        if not os.path.exists(os.path.join(root, "src", layer, header)):
            return f'"{header}" is not in src/{layer}/'
        header = f"{layer}/{header}"
    target = header.split("/")[0]
    if target not in LAYERS:
        return f'"{header}" is in no layer'
    if layer not in RESERVED.get(header, {layer}):
        return f'"{header}" is for {", ".join(sorted(RESERVED[header]))} only'
    if (target != layer and target not in LAYERS[layer]):
        return f'{layer}/ may not include {target}/ ("{header}")'
    return None


def source_problem(root, path, quote, header):
    """What is wrong with this include in a file of src/."""
    parts = path.split("/")
    if len(parts) != 3 or parts[1] not in LAYERS:
        return "files of src/ live in a layer's folder"
    if quote == "<":
        if header.startswith("kith/"):
            return f'write "{header}", not <{header}>'
        return outside_problem(header, parts[1], "/".join(parts[1:]))
    return inner_problem(root, parts[1], header)


def tool_problem(root, path, quote, header):
    """tools/ sees what a user of the library sees; tools/verify nothing."""
    if path.startswith("tools/verify/") and header.startswith("kith/"):
        return f"<{header}>: the checker shares nothing with kith"
    if quote == "<":
        return outside_problem(header, "tools", path)
    if not os.path.exists(os.path.join(root, os.path.dirname(path), header)):
        return f'"{header}": the tools use <kith/...> and their own headers'
    if ".." in header.split("/"):
        return f'"{header}": the tools do not reach outside their folder'
    return None


def public_problem(root, path, quote, header):
    """Installed headers need nothing but the C standard and each other."""
    if quote == '"' and header.startswith("kith/"):
        return None
    if quote == "<" and re.fullmatch(r"(std\w+|inttypes|limits)\.h", header):
        return None
    return f"a public header may not include {header}"


def reached(root, path, seen):
    """The headers of src/ that a file of it comes to, itself included."""
    if path in seen or not os.path.exists(os.path.join(root, "src", path)):
        return seen
    seen.add(path)
    with open(os.path.join(root, "src", path), encoding="utf-8") as file:
        for _, quote, header in includes(file.read()):
            if quote == '"' and not header.startswith("kith/"):
                inside = header if "/" in header else (
                    f"{path.split('/')[0]}/{header}")
                reached(root, inside, seen)
    return seen


def detours(root, path):
    """Reserved headers that a file comes to by another header."""
    with open(os.path.join(root, "src", path), encoding="utf-8") as file:
        direct = {header for _, _, header in includes(file.read())}
    layer = path.split("/")[0]
    for header in sorted(reached(root, path, set()) - direct):
        if layer not in RESERVED.get(header, {layer}):
            yield (f'src/{path}: comes to "{header}", which is for '
                   f'{", ".join(sorted(RESERVED[header]))} only')


RULES = {"src": source_problem, "tools": tool_problem,
         "include": public_problem}


def check(root):
    """(number of files, problems)"""
    problems, seen, count = [], {}, 0
    for path in sources(root, *RULES):
        count += 1
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        top, name = path.split("/")[0], os.path.basename(path)
        if top != "include":
            if name in seen:
                problems.append(f"{path}: same file name as {seen[name]}")
            seen.setdefault(name, path)
        layer = path.split("/")[1]
        for match in VISIT.finditer(bare(text)) if top == "src" else ():
            if not {layer, path[4:]} & VISITS[match.group()]:
                problems.append(f"{path}: {match.group()} is for "
                                f"{', '.join(sorted(VISITS[match.group()]))} "
                                "only")
        if top == "src" and path.count("/") == 2:
            problems.extend(detours(root, path[4:]))
        for line, quote, header in includes(text):
            problem = RULES[top](root, path, quote, header)
            if problem:
                problems.append(f"{path}:{line}: {problem}")
    return count, problems


# ---- the check can fail ----------------------------------------------------

# path -> (contents, words that a problem must have; None: must be fine)
SPECIMENS = {
    "src/base/base_i.h": ('#include "kith/status.h"\n', None),
    "src/base/up.c": ('#include "kernel/kernel_i.h"\n', "may not include"),
    "src/kernel/kernel_i.h": ('#include "base/base_i.h"\n', None),
    "src/kernel/good_blas.c": ("#include <cblas.h>\n", None),
    "src/kernel/side.c": ('#include "budget/budget_i.h"\n',
                          "may not include"),
    "src/budget/budget_i.h": ("#include <gmp.h>\n#include <mpfr.h>\n", None),
    "src/budget/reach.c": ('#include "data/dataset_i.h"\n',
                           "may not include"),
    "src/budget/store.c": ("#include <sqlite3.h>\n", "belongs to"),
    "src/ledger/good_store.c": ('#include <sqlite3.h>\n'
                                '#include "budget/budget_i.h"\n', None),
    "src/ledger/rows.c": ('#include "data/dataset_i.h"\n',
                          "may not include"),
    "src/data/fold.h": ("", None),
    "src/sidedoor/looks.c": ("void f(void) { kith_i_session_fold(); }\n",
                             "only"),
    "src/release/way.h": ('#include "dp/dp_private.h"\n', None),
    "src/sidedoor/detour.c": ('#include "release/way.h"\n', "comes to"),
    "src/sidedoor/blocks_for_chains.c": (
        "void g(void) { kith_i_block_copy_open(); }\n", "only"),
    "src/sidedoor/release_draws.c": (
        "void g(void) { kith_i_block_copy_open(); }\n", None),
    "src/cluster/solves.c": (
        "void h(void) { kith_i_release_blocks_by(); }\n", "only"),
    "src/sidedoor/told.c": ("/* not kith_i_session_fold */\n", None),
    "src/data/reader.h": ("", None),
    "src/data/good_data.c": ('#include "fold.h"\n#include "reader.h"\n', None),
    "src/data/math.c": ("#include <gmp.h>\n", "belongs to"),
    "src/dp/dp_i.h": ('#include "budget/budget_i.h"\n', None),
    "src/dp/dp_private.h": ('#include "data/fold.h"\n', None),
    "src/noise/entropy.h": ("", None),
    "src/noise/entropy.c": ("#include <sodium.h>\n", None),
    "src/noise/dice.c": ("#include <sodium.h>\n", "belongs to"),
    "src/noise/price.c": ('#include "budget/budget_i.h"\n',
                          "may not include"),
    "src/dp/raw.c": ('#include "data/reader.h"\n', "only"),
    "src/dp/coin.c": ("#include <sodium.h>\n", "belongs to"),
    "src/dp/climb.c": ('#include "result/result_i.h"\n', "may not include"),
    "src/result/result_i.h": ('#include "base/base_i.h"\n', None),
    "src/cluster/cluster_i.h": ('#include "budget/budget_i.h"\n'
                                '#include "result/result_i.h"\n', None),
    "src/cluster/peek.c": ('#include "data/fold.h"\n', "only"),
    "src/cluster/draw.c": ('#include "noise/entropy.h"\n', "only"),
    "src/cluster/inner.c": ('#include "dp/dp_private.h"\n', "only"),
    "src/cluster/ledger.c": ('#include "budget/gdp.h"\n', "only"),
    "src/cluster/fast.c": ("#include <cblas.h>\n", "belongs to"),
    "src/cluster/write.c": ("#include <jansson.h>\n", "belongs to"),
    "src/cluster/dots.c": ('#include "../data/fold.h"\n', "rooted at src/"),
    "src/cluster/angle.c": ("#include <kith/data.h>\n", "not <kith/data.h>"),
    "src/cluster/lost.c": ('#include "nowhere.h"\n', "is not in src/"),
    "src/cluster/fine.c": ('/* #include "data/fold.h"\n*/\n'
                           '#include "cluster_i.h"\n', None),
    "src/plain/good_plain.c": ('#include "result/result_i.h"\n'
                               '#include "data/fold.h"\n'
                               '#include "data/reader.h"\n', None),
    "src/plain/gate.c": ('  #  include "dp/dp_i.h"\n', "may not include"),
    "src/plain/friend.c": ('#include "cluster/cluster_i.h"\n',
                           "may not include"),
    "src/utils/helper.c": ("#include <stdio.h>\n", "layer's folder"),
    "tools/kith/good_tool.c": ('#include <kith/kith.h>\n#include "cli.h"\n'
                               "#include <jansson.h>\n", None),
    "tools/kith/cli.h": ("", None),
    "tools/kith/deep.c": ('#include "base/base_i.h"\n', "own headers"),
    "tools/kith/deeper.c": ('#include "../../src/base/base_i.h"\n',
                            "outside their folder"),
    "tools/kith/noise.c": ("#include <sodium.h>\n", "belongs to"),
    "tools/kith/entropy.c": ("", "same file name"),
    "tools/verify/check.c": ("#include <kith/budget.h>\n", "nothing with"),
    "tools/verify/verify_signature.c": ("#include <sodium.h>\n", None),
    "include/kith/status.h": ("#include <stdint.h>\n", None),
    "include/kith/leak.h": ("#include <gmp.h>\n", "public header"),
}


def self_test():
    with tempfile.TemporaryDirectory() as root:
        for path, (text, _) in SPECIMENS.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        _, problems = check(root)
    for path, (_, words) in SPECIMENS.items():
        mine = [p for p in problems if p.startswith(path + ":")]
        if words is None and mine:
            sys.exit(f"layers: self-test: false alarm: {mine[0]}")
        if words and not any(words in p for p in mine):
            sys.exit(f"layers: self-test: {path}: not caught")


def main():
    self_test()
    if "--self-test" in sys.argv[1:]:
        print(f"layers: self-test ok, {len(SPECIMENS)} specimens")
        return
    count, problems = check(".")
    if count == 0:
        sys.exit("layers: no sources here; run from the root of the tree")
    if problems:
        sys.exit("\n".join(problems) + f"\nlayers: {len(problems)} problems")
    print(f"layers: {count} files ok")


if __name__ == "__main__":
    main()
