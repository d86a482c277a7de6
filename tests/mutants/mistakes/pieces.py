"""Mistakes in the state that is stored in pieces."""

from mistakes.mutant import Mutant

LISTS = "engine/testOnly *ChunkedListSpec"
PAGES = "engine/testOnly *PagesSpec"
STATE = "engine/testOnly *FunctionPiecesSpec"
MODEL = "engine/testOnly *NaiveModelSpec"
STREAMS = "spark/testOnly *PiecesSpec"
SAVED = "spark/testOnly *SavedIndexSpec"

MUTANTS = [
    Mutant(
        0,
        "state/KeyState.scala",
        "    if (hasOtherPieces && r.hasContents) contents.release(lookAt(r))\n",
        "",
        "engine/testOnly *NaiveModelSpec",
    ),
    Mutant(0, "pieces/KeyPieces.scala", "    released += number\n", "    store.remove(number)\n", LISTS),
    Mutant(0, "pieces/KeyPieces.scala", " || BlockReader.checksum(piece) != checksum)", ")", LISTS),
    Mutant(0, "contents/ChunkList.scala", "    if (left > 0) chunks(0) = chunks(0).skip(left)\n", "", LISTS),
    Mutant(
        0, "contents/ChunkList.scala", "if (chunk.skipped == 0) Seq(", "if (chunk.skipped >= 0) Seq(", LISTS
    ),
    Mutant(0, "contents/ElementList.scala", "if (chunk.greatest <= time)", "if (chunk.least <= time)", LISTS),
    Mutant(
        0,
        "contents/ElementList.scala",
        "    of.removeFirst(count)\n    changed()\n",
        "    of.removeFirst(count)\n",
        LISTS,
    ),
    Mutant(
        0,
        "functions/JoinGroups.scala",
        "if (groups.isEmpty || size >= JoinGroups.Blocks)",
        "if (groups.isEmpty)",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(0, "state/PageTable.scala", "      base -= by\n", "", PAGES),
    Mutant(0, "state/PageTable.scala", "    } else move(i + 1, pages.length, by)\n", "    }\n", PAGES),
    Mutant(0, "state/PageCodec.scala", "now.bytes == page.bytes && ", "now.bytes < page.bytes && ", PAGES),
    Mutant(
        0,
        "state/PageTable.scala",
        "    if (!isEmpty) pages.clear()\n    base = 0\n",
        "    if (pages.nonEmpty) { pages.clear(); base = 0 }\n",
        PAGES,
    ),
    Mutant(0, "state/PageCodec.scala", "    release(state, next)\n", "", PAGES),
    Mutant(0, "state/PageCodec.scala", "now.bytes < size / 2 && ", "now.bytes < 0 && ", PAGES),
    Mutant(0, "state/KeyState.scala", "page.lastEnd < time", "page.lastEnd <= time", PAGES),
    Mutant(
        0,
        "operator/RecordTimers.scala",
        "else math.min(page.least(EventEnd), ctx.cleanupTime(page.least(EventCleanup)))",
        "else page.least(EventEnd)",
        "engine/testOnly *NaiveModelSpec",
    ),
    Mutant(
        0,
        "operator/OverOperator.scala",
        "(most == 0 || most == page.count)",
        "most >= 0",
        "engine/testOnly *OverModelSpec",
    ),
    Mutant(
        0, "spark/task/StorePieces.scala", "    beforeRead()\n", "    if (number < 0) beforeRead()\n", STREAMS
    ),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "if (rules.isSorted && StorePieces.areSorted(keyColumns.size))",
        "if (StorePieces.areSorted(keyColumns.size))",
        STREAMS,
    ),
    Mutant(
        0,
        "spark/plan/StateStoreRules.scala",
        "if (isRaw && isOfSpark(provider))",
        "if (isRaw || isOfSpark(provider))",
        STREAMS,
    ),
    Mutant(0, "state/FunctionState.scala", "    entry.inPieces.foreach(_.release(pieces))\n", "", STATE),
    Mutant(0, "state/StoredState.scala", "isLarge && piece.holds(out, pieces)", "isLarge", STATE),
    Mutant(
        0,
        "state/StatePiece.scala",
        "bytes == out.size && checksum == out.checksum && Arrays.equals(readAll(pieces), out.toBytes)",
        "bytes == out.size || Arrays.equals(readAll(pieces), out.toBytes)",
        STATE,
    ),
    Mutant(0, "state/StoredList.scala", "    chunks.foreach(_.release(pieces))\n", "", STATE),
    Mutant(
        0,
        "state/StoredList.scala",
        "tail = Vector.fill(pending)(codec.read(in)) ++ tail",
        "tail ++= Vector.fill(pending)(codec.read(in))",
        STATE,
    ),
    Mutant(
        0,
        "state/StoredList.scala",
        "      if (pieces.openings != opening)\n",
        "      if (pieces.openings < opening)\n",
        STATE,
    ),
    Mutant(
        0,
        "state/StoredMap.scala",
        "      val stored = asRead(key)\n      if (KeyHash",
        "      val stored = key\n      if (KeyHash",
        STATE,
    ),
    Mutant(0, "state/StoredMap.scala", "if (found.isEmpty) next else found.get.number", "next", STATE),
    Mutant(0, "state/StoredMap.scala", " || indexOf(key) != i", "", STATE),
    Mutant(0, "state/StoredMap.scala", "        whole.inPieces.foreach(_.release(pieces))\n", "", STATE),
    Mutant(
        0,
        "state/StoredMap.scala",
        "    each < pieces.sizes.page / Most && buckets.length > 1\n",
        "    false\n",
        STATE,
    ),
    Mutant(0, "state/KeyHash.scala", "number == number.toLong", "number > 0", STATE),
    Mutant(0, "state/KeyHash.scala", "=> values.forall(isKnown)", "=> values.nonEmpty", STATE),
    Mutant(
        0,
        "spark/task/TimerIndex.scala",
        "saved.version == version && ",
        "saved.version >= version - 99 && ",
        SAVED,
    ),
    Mutant(0, "spark/task/StoreTask.scala", "!index.isAhead(version) && ", "", SAVED),
    Mutant(0, "spark/task/SavedIndex.scala", "      in.unseal(0)\n", "", SAVED),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "math.min(earliestEntry(), index.processingTimers.leastOthers)",
        "earliestEntry()",
        SAVED,
    ),
    Mutant(0, "spark/task/StoreTask.scala", "pieces.remove(SavedIndex.Piece)", "()", SAVED),
    Mutant(0, "spark/task/TimerQueue.scala", "math.min(headTime, leastOthers)", "headTime", SAVED),
    Mutant(
        0,
        "spark/task/TimerQueue.scala",
        "    leastOthers = StateCell.NoTimer\n",
        "",
        SAVED,
    ),
    Mutant(
        0,
        "spark/task/TimerIndex.scala",
        "eventTimers.leastOthers > eventTime",
        "eventTimers.leastOthers >= eventTime",
        SAVED,
    ),
    Mutant(
        0,
        "operator/Step.scala",
        "\n      areWaiting = results.areWaiting\n",
        "\n      areWaiting = results.areWaiting && false\n",
        "engine/testOnly *StepSpec",
    ),
    Mutant(
        0,
        "operator/Step.scala",
        "if (operator.firesByMicroBatch) Array(Rows, EndOfMicroBatch) else Array(Rows)",
        "Array(Rows)",
        "engine/testOnly *StepSpec",
    ),
    Mutant(0, "state/WindowRecord.scala", "    pageBytes = other.pageBytes\n", "", MODEL),
    Mutant(
        0, "state/RecordCodec.scala", "if (page != null) r.pageBytes", "if (page == null) r.pageBytes", PAGES
    ),
]
