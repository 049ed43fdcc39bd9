import CPeers
import Foundation
import GRDB
import LMDB
import RecordStore
import Tandem

/// How large the stores of the same records are, and what each table takes.
struct StoreSizes: Encodable {
  struct Table: Encodable {
    let name: String
    let bytes: Int
  }

  struct Side: Encodable {
    let name: String
    let bytes: Int
    /// The larger ones first; none where the store does not tell.
    let tables: [Table]
    /// Its bytes by ours.
    let ratio: Double
    /// At least so large the ratio shall be; nil where it is only shown.
    let target: Double?
    let isReached: Bool?
  }

  static let name = "store size"

  let records: Int
  /// The first is ours.
  let sides: [Side]

  init(bench: Workbench, data: Dataset) throws {
    let measured = try [Self.ours(bench, data), Self.compacted(bench)] + Self.peers(bench, data)
    records = data.subscriptions.count
    sides = measured.map { name, bytes, tables, target in
      let ratio = Double(bytes) / Double(measured[0].bytes)
      return Side(
        name: name, bytes: bytes, tables: tables, ratio: ratio, target: target, isReached: target.map { ratio >= $0 })
    }
  }

  private typealias Measured = (name: String, bytes: Int, tables: [Table], target: Double?)

  private static func ours(_ bench: Workbench, _ data: Dataset) throws -> Measured {
    let container = try bench.container("size")
    try Workbench.insert(data.subscriptions[...], into: container)
    let store = container.store.url
    return ("Tandem", try dataFileBytes(store), try tables(of: store), nil)
  }

  /// The same store as a copy without free pages.
  private static func compacted(_ bench: Workbench) throws -> Measured {
    let copy = bench.folder.appending(path: "size-compacted")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    let environment = try Environment.open(at: bench.container("size").store.url.path)
    try environment.copy(to: copy.path, compacting: true)
    return ("Tandem, compacted", try Workbench.bytes(below: copy), [], nil)
  }

  private static func peers(_ bench: Workbench, _ data: Dataset) throws -> [Measured] {
    guard !bench.isAlone else { return [] }
    let peer = try PeerStore(bench.folder, "size")
    try peer.insertByStatement(data.subscriptions[...])
    let tables = sorted(try peer.bytesByTable().map { Table(name: $0, bytes: $1) })
    try peer.bringInLog()
    let bytes = try URL(filePath: peer.path).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    var measured: [Measured] = [("SQLite, the same tables", bytes, tables, 0.25)]
    if bench.objectBox != nil {
      let name = "size"
      _ = try bench.objectBoxStore(name, data.subscriptions)
      let file = bench.folder.appending(path: name + ".objectbox/data.mdb")
      let bytes = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      measured.append((ObjectBoxLibrary.peer + ", flatbuffers", bytes, [], 1.5))
    }
    return measured
  }

  private static func dataFileBytes(_ store: URL) throws -> Int {
    try store.appending(path: "data.mdb").resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }

  /// Pages that a tree has given back are counted as free.
  private static func tables(of store: URL) throws -> [Table] {
    let trees = try Environment.open(at: store.path).pageCensus().pagesByTree
    let pageBytes = 4_096
    let tables = trees.map { Table(name: title($0), bytes: $1.count * pageBytes) }
    let used = tables.reduce(0) { $0 + $1.bytes }
    return sorted(tables + [Table(name: "(not in use)", bytes: max(0, try dataFileBytes(store) - used))])
  }

  /// What a tree of the store holds, beside its name.
  private static func title(_ tree: String) -> String {
    if tree.wholeMatch(of: /e[0-9]+/) != nil { return tree + ", records" }
    return tree.wholeMatch(of: /xe?[0-9]+/) != nil ? tree + ", indexes" : tree
  }

  private static func sorted(_ tables: [Table]) -> [Table] {
    tables.filter { $0.bytes > 0 }.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
  }

  /// A line a side, then one for each of its tables that takes a hundredth of it.
  var lines: [String] {
    ["\(Self.name), bytes of each record (\(ComparisonTable.grouped(Double(records))) records)"]
      + sides.enumerated().flatMap { index, side in
        [line("  " + side.name, side.bytes) + (index == 0 ? "" : ratio(side))]
          + side.tables.filter { $0.bytes * 100 >= side.bytes }.map { line("    " + $0.name, $0.bytes) }
      }
  }

  private func line(_ name: String, _ bytes: Int) -> String {
    let each = String(format: "%.1f B", Double(bytes) / Double(records))
    return name.padding(toLength: 40, withPad: " ", startingAt: 0) + ComparisonTable.leading(each, 10)
  }

  private func ratio(_ side: Side) -> String {
    let shown = ComparisonTable.leading(String(format: "× %.2f", side.ratio), 20)
    guard let target = side.target, let isReached = side.isReached else { return shown }
    return shown + String(format: "   aim %.2f ", target) + (isReached ? "reached" : "missed")
  }
}
