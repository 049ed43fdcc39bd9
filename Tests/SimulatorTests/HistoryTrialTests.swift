import StoreTables
import Testing

@testable import Simulator

/// The comparison of both ways of a commit notices what it is there for.
struct HistoryTrialTests {
  @Test func `another byte of one table is told with the table and the replica`() async throws {
    let history = HistoryGenerator.history(seed: 1)
    let outcome = try await HistoryTrial(comparesWays: true).run(history)
    #expect(outcome.violation == nil)
    #expect(outcome.contents.count == history.replicas.count)
    #expect(HistoryTrial.difference(of: outcome, from: outcome, in: history) == nil)
    let last = try #require(outcome.contents.last)
    for name in last.tables.keys {
      var tables = last.tables
      let value = try #require(tables[name]?.lastIndex { !$0.isEmpty })
      tables[name]?[value][0] ^= 1
      var other = outcome
      other.contents[other.contents.count - 1] = StoreContents(tables: tables, history: last.history)
      let violation = try #require(HistoryTrial.difference(of: outcome, from: other, in: history))
      #expect(violation.invariant == .waysAgree)
      #expect(violation.sentence.hasPrefix("table \(name) of \(history.replicas.last ?? "")"))
    }
    var other = outcome
    other.contents[0] = StoreContents(tables: outcome.contents[0].tables, history: [])
    #expect(HistoryTrial.difference(of: outcome, from: other, in: history)?.sentence.hasPrefix("history of ") == true)
    other = outcome
    other.failures[0] = "folderMissing"
    #expect(HistoryTrial.difference(of: outcome, from: other, in: history)?.invariant == .waysAgree)
  }
}
