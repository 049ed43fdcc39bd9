import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Transactions by name, beside a plain list of all that history ever told: over merges, trims and new replica ids, in
/// stores of this format and in one that an earlier build began.
struct HistoryNamesTests {
  /// What one store's history told, trimmed or not.
  private struct Twin {
    var rows: [Dot: (number: UInt64, stamp: Stamp)] = [:]
    var isLocal: [UInt64: Bool] = [:]
    var first: UInt64 = 1
    var last: UInt64 = 0

    mutating func follow(_ store: RecordStore) throws {
      let known = last
      var (rows, isLocal, last) = (rows, isLocal, last)
      try store.read { snapshot throws in
        try HistoryTable(snapshot.transaction, snapshot.layout).forEach(after: known) { number, entry in
          for member in entry.transactions { rows[member.dot] = (number, member.stamp) }
          isLocal[number] = !entry.isMerge
          last = number
          return true
        }
      }
      (self.rows, self.isLocal, self.last) = (rows, isLocal, last)
    }
  }

  private func expectEqual(_ twin: Twin, _ store: RecordStore, using generator: inout SeededGenerator) throws {
    let after = UInt64.random(in: 0...twin.last, using: &generator)
    let sequence = UInt64.random(in: 0...5, using: &generator)
    try store.read { snapshot throws in
      let history = HistoryTable(snapshot.transaction, snapshot.layout)
      for (dot, row) in twin.rows {
        #expect(try history.number(of: dot) == row.number)
        #expect(try snapshot.stamp(of: dot) == row.stamp)
        let kept = row.number < twin.first ? nil : row.number
        #expect(try snapshot.historyTransaction(with: row.stamp)?.number == kept)
      }
      for (replica, entry) in try snapshot.versionVector.entries {
        let rows = twin.rows.filter { $0.key.replica == replica && $0.key.sequence > sequence }
          .sorted { $0.key < $1.key }
        var dots: [Dot] = []
        try history.forEachDot(of: replica, after: sequence) { row in
          dots.append(row.dot)
          return true
        }
        #expect(dots == rows.map(\.key))
        var sent: [Dot] = []
        try snapshot.forEachOutgoing(of: replica, after: sequence) { outgoing in
          sent.append(outgoing.dot)
          return true
        }
        let kept = rows.filter { $0.value.number >= twin.first }
        #expect(sent == kept.prefix { twin.isLocal[$0.value.number] == true }.map(\.key))
        let beyond = Dot(replica: replica, sequence: entry.sequence + 1)
        #expect(try history.number(of: beyond) == nil)
      }
      #expect(try history.number(of: Dot(replica: ReplicaID(1), sequence: 1)) == nil)
      #expect(try history.firstNumber() == (twin.first > twin.last ? nil : twin.first))
      if after + 1 >= twin.first {
        #expect(try snapshot.history(after: after).map(\.number) == Array(after + 1..<twin.last + 1))
      }
    }
  }

  private func copyGolden(_ name: String, to configuration: StoreConfiguration) throws {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../SyncFixtures/golden/\(name)/data.mdb").standardizedFileURL
    let url = try #require(configuration.url)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: golden, to: url.appending(path: "data.mdb"))
  }

  private func save(_ store: RecordStore, _ names: FixtureNames, using generator: inout SeededGenerator) throws {
    // Sometimes more than the tail of history has room for.
    let count = generator.pick([1, 1, 1, 2, 5, 40])
    let changes = (0..<count).map { number in
      names.insert("Note", RecordIDGenerator.shared.next(), ["text": .string("note \(number) of \(count)")])
    }
    _ = try store.commit(SaveRequest(author: generator.oneIn(3) ? "somebody" : nil, changes: changes))
  }

  @Test(arguments: [nil, "store-2"])
  func `every transaction is found by its name and by its stamp`(golden: String?) throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<4 {
      let family = try ReplicaFamily(count: 3) { index, configuration in
        if index == 0, let golden {
          #expect(throws: Never.self) { try copyGolden(golden, to: configuration) }
        }
      }
      var twins = [Twin(), Twin(), Twin()]
      for index in twins.indices { try twins[index].follow(family.stores[index].store) }
      for _ in 0..<50 {
        let index = Int.random(in: 0..<3, using: &generator)
        let store = family.stores[index].store
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
          try family.exchangeAll()
          try store.renewReplica()
        case 1:
          try family.exchangeAll()
          for index in twins.indices { try twins[index].follow(family.stores[index].store) }
          let number = UInt64.random(in: 0...twins[index].last, using: &generator)
          try store.trimHistory(through: number)
          twins[index].first = max(twins[index].first, number + 1)
        case 2, 3, 4: try family.pull(into: index, from: (index + 1) % 3)
        default: try save(store, FixtureNames(store), using: &generator)
        }
        for index in twins.indices { try twins[index].follow(family.stores[index].store) }
        if generator.oneIn(6) { try expectEqual(twins[index], store, using: &generator) }
      }
      for (twin, member) in zip(twins, family.stores) { try expectEqual(twin, member.store, using: &generator) }
      try family.check()
    }
  }

  /// Merges of several transactions at once: the names of all of them lead to the one entry.
  @Test func `every transaction of one merge is found`() throws {
    let family = try ReplicaFamily(count: 2)
    let names = try FixtureNames(family.stores[0].store)
    for number in 1...20 {
      try family.stores[0].store.save(names.insert("Tag", fixtureID(UInt64(number)), ["name": .string("\(number)")]))
    }
    let transactions = try family.outgoing(of: 0, after: 0)
    try family.merge(Array(transactions[..<7]), into: 1)
    try family.merge(Array(transactions[7...]), into: 1)
    try family.stores[1].store.read { snapshot throws in
      let history = HistoryTable(snapshot.transaction, snapshot.layout)
      for transaction in transactions {
        #expect(try history.number(of: transaction.dot) == (transaction.dot.sequence <= 7 ? 1 : 2))
        #expect(try history.transaction(with: transaction.stamp)?.dot == transaction.dot)
        #expect(try snapshot.context(of: transaction.dot) == transaction.context)
      }
      let between = Stamp(time: transactions[0].stamp.time, counter: .max, replica: transactions[0].dot.replica)
      #expect(try history.transaction(with: between) == nil)
    }
    try family.check()
  }
}
