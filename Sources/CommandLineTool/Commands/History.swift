import ArgumentParser
import Dispatch
import Foundation
import RecordStore
import StoreInspection

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the transactions of a store, oldest first.",
    discussion: """
      Begins with the oldest transaction that the store still has. Opens the store
      for reading only. --follow ends with Ctrl-C and exit code 0.

      Example: tandem history shop.store --after 100 --limit 20
      """)

  @OptionGroup var store: StoreOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("Only transactions with greater numbers.", valueName: "n"))
  var after: UInt64?

  @Option(parsing: .unconditional, help: ArgumentHelp("At most so many, the oldest first.", valueName: "n"))
  var limit: Int?

  @Flag(help: "Go on showing transactions, of any process, as they are committed.")
  var follow = false

  @Flag(help: "Show every changed record.")
  var changes = false

  @OptionGroup var paging: PagingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit \(limit) is negative") }
    if limit != nil && follow { throw ValidationError("--limit and --follow exclude each other") }
  }

  func run() throws {
    let location = try store.location()
    let store = try store.openForReading()
    if !follow {
      _ = try show(store, after: after ?? store.read { try $0.firstReadableNumber - 1 })
      return
    }
    let signal = DispatchSemaphore(value: 0)
    let observation = store.observeCommits { _ in signal.signal() }
    defer { observation.cancel() }
    try Interruption.shared.following(wake: { signal.signal() }) {
      var last = try after ?? store.read { try $0.lastTransactionNumber }
      while !Interruption.shared.isRequested {
        last = try show(store, after: last)
        try Console.standard.flush()
        // A store that is deleted sends no signal any more.
        guard StoreLocation.isStore(location) else {
          throw CommandFailure(
            "the store at \(location.path) is not there any more; follow the one that takes its place")
        }
        _ = signal.wait(timeout: .now() + 1)
      }
    }
  }

  /// The number of the last transaction shown.
  private func show(_ store: RecordStore, after number: UInt64) throws -> UInt64 {
    let (transactions, catalogue) = try store.read { snapshot in
      (try snapshot.history(after: number, limit: limit), snapshot.catalogue)
    }
    let entries = transactions.map { HistoryText(transaction: $0, catalogue: catalogue) }
    if output.json || follow {
      for line in entries.flatMap({ lines(of: $0) }) { try Console.standard.print(line) }
    } else {
      try Pager(paging).show(entries.flatMap { lines(of: $0) })
    }
    return transactions.last?.number ?? number
  }

  private func lines(of entry: HistoryText) -> [String] {
    output.json ? [entry.json.description] : entry.lines(showsChanges: changes, terminal: .current)
  }
}

/// One transaction as a person or a program reads it.
struct HistoryText {
  let transaction: HistoryTransaction
  let catalogue: Catalogue

  func lines(showsChanges: Bool, terminal: Terminal) -> [String] {
    var origin = "\(DisplayText.visible(transaction.processName))[\(transaction.processIdentifier)]"
    if let author = transaction.author { origin += " by \(DisplayText.visible(author))" }
    if transaction.isMerge { origin += ", from replica \(transaction.dot.replica)" }
    let head = terminal.styled(String(transaction.number), .bold)
    let first = "\(head)  \(LocalTime(transaction.committedAt).text)  \(origin)  \(summary)"
    guard showsChanges else { return [first] }
    return [first] + transaction.changes.map { "    " + ChangeText(change: $0, catalogue: catalogue).text }
  }

  /// `Item: 2 inserted, 1 deleted; List: 1 updated`.
  var summary: String {
    var counts: [EntityNumber: [HistoryChange.Kind: Int]] = [:]
    for change in transaction.changes { counts[change.entity, default: [:]][change.kind, default: 0] += 1 }
    if counts.isEmpty { return "nothing visible changed" }
    return counts.sorted { $0.key < $1.key }.map { entity, kinds in
      let parts = [HistoryChange.Kind.insert, .update, .delete].compactMap { kind in
        kinds[kind].map { "\($0) \(ChangeText.pastTense(kind))" }
      }
      return "\(ChangeText.name(of: entity, in: catalogue)): \(parts.joined(separator: ", "))"
    }.joined(separator: "; ")
  }

  var json: JSON {
    .members([
      "number": .integer(transaction.number),
      "replica": .string(transaction.dot.replica.description),
      "sequence": .integer(transaction.dot.sequence),
      "stamp": .string(transaction.stamp.text),
      "committedAt": .string(DateText.display(transaction.committedAt)),
      "process": .string(transaction.processName),
      "processIdentifier": .integer(transaction.processIdentifier),
      "author": transaction.author.map { .string($0) },
      "merge": .bool(transaction.isMerge),
      "changes": .array(transaction.changes.map { ChangeText(change: $0, catalogue: catalogue).json }),
    ])
  }
}
