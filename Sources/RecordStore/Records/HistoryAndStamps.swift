/// Whether a save writes its history and stamps each field, which it always does: a store without them cannot be
/// synchronised, watched or changed. Only `tools/bench --overhead` builds this module otherwise, to say what both cost
/// a save of new records. The answer is known when the module is compiled, so that asking costs nothing.
enum HistoryAndStamps {
  static var areKept: Bool {
    #if TANDEM_BENCHMARK_WITHOUT_HISTORY_AND_STAMPS
      false
    #else
      true
    #endif
  }

  /// Bytes behind the payload of a new record: a stamp's number for each field, and the one stamp.
  static func byteCount(fieldCount: Int) -> Int { areKept ? fieldCount + Stamp.byteCount : 0 }
}
