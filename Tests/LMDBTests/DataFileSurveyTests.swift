import Foundation
import LMDB
import TestSupport
import Testing

/// Reading the pages of a data file without LMDB, sound and damaged.
struct DataFileSurveyTests {
  private typealias Tables = [String: [[UInt8]: [UInt8]]]

  /// Tables after many commits that replaced and removed some of their entries, and what they hold.
  private static func make(_ directory: String, _ random: inout SeededGenerator, rounds: Int) throws -> Tables {
    var options = Environment.Options()
    options.durability = .unsafeNoSync
    let environment = try Environment.open(at: directory, options: options)
    var content: Tables = [:]
    for _ in 0..<rounds {
      let name = "table \(Int.random(in: 0..<4, using: &random))"
      let puts = (0..<Int.random(in: 1...120, using: &random)).map { _ in
        (key: bytes(1...60, &random), value: bytes(0...(random.oneIn(20) ? 20_000 : 400), &random))
      }
      let removed = (content[name] ?? [:]).keys.sorted { $0.lexicographicallyPrecedes($1) }
        .filter { _ in random.oneIn(3) }
      try environment.write { transaction throws in
        let table = try transaction.createDatabase(named: name)
        for key in removed { try transaction.delete(table, key: key) }
        for (key, value) in puts { try transaction.put(table, key: key, value: value) }
      }
      for key in removed { content[name]?[key] = nil }
      for (key, value) in puts { content[name, default: [:]][key] = value }
    }
    return content
  }

  private static func bytes(_ counts: ClosedRange<Int>, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: counts, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private static func survey(
    _ directory: String, strays: Bool = false
  ) throws -> (survey: DataFileSurvey, found: Tables, lost: [[UInt8]: [UInt8]]) {
    var (found, lost): (Tables, [[UInt8]: [UInt8]]) = ([:], [:])
    let survey = try DataFileSurvey.run(directory: directory, includingStrays: strays) { place, key, value in
      switch place {
      case .table(let name): found[name, default: [:]][key.copied()] = value.copied()
      case .lost: lost[key.copied()] = value.copied()
      case .list, .former: return
      }
    }
    return (survey, found, lost)
  }

  @Test func `a sound file has no flaw, and its tables hold what was put into them`() throws {
    var random = SeededGenerator.announced()
    for rounds in [1, 10, 60, 200] {
      let directory = try TemporaryDirectory()
      let content = try Self.make(directory.path, &random, rounds: rounds)
      let (survey, found, lost) = try Self.survey(directory.path, strays: true)
      #expect(survey.isIntact, "\(survey.damages) \(survey.counts)")
      #expect(found == content.filter { !$0.value.isEmpty })
      #expect(lost.isEmpty)
    }
  }

  /// Zeroed pages, flipped bits and pages in the place of others.
  @Test func `a damaged file gives what lies in its intact pages, and never more than there was`() throws {
    var random = SeededGenerator.announced()
    let directory = try TemporaryDirectory()
    let content = try Self.make(directory.path, &random, rounds: 60)
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    let sound = try Data(contentsOf: file)
    var noticed = 0
    for _ in 0..<100 {
      var bytes = sound
      let page = Int.random(in: 2..<sound.count / 4096, using: &random)
      bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
      try bytes.write(to: file)
      let (survey, found, lost) = try Self.survey(directory.path, strays: true)
      if !survey.isIntact { noticed += 1 }
      for (name, entries) in found {
        // The pages behind the first one of a long value have no structure of their own.
        let isSame = entries.allSatisfy { $1.count > 4000 || content[name]?[$0] == $1 }
        #expect(isSame, "page \(page)")
      }
      // A page of a tree is one leaf or branch: everything below a branch is found beside the trees.
      let all = Set(content.values.flatMap(\.keys))
      let missing = all.subtracting(found.values.flatMap(\.keys)).subtracting(lost.keys)
      if survey.freeListIsWhole { #expect(missing.count < 300, "page \(page): \(missing.count)") }
      let isExplained = missing.allSatisfy { key in survey.damages.contains { $0.mayHaveHeld(key) } }
      #expect(isExplained, "page \(page)")
    }
    #expect(noticed > 20)
  }

  @Test func `flipped bits end no process`() throws {
    var random = SeededGenerator.announced()
    let directory = try TemporaryDirectory()
    _ = try Self.make(directory.path, &random, rounds: 60)
    let file = URL(fileURLWithPath: directory.path + "/data.mdb")
    let sound = try Data(contentsOf: file)
    for _ in 0..<400 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        // Headers of pages are where most depends on a bit.
        let place = random.oneIn(2) ? Int.random(in: 0..<64, using: &random) : Int.random(in: 0..<4096, using: &random)
        let page = Int.random(in: 0..<sound.count / 4096, using: &random)
        bytes[page * 4096 + place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try bytes.prefix(random.oneIn(10) ? Int.random(in: 0..<bytes.count, using: &random) : bytes.count).write(to: file)
      do {
        _ = try Self.survey(directory.path, strays: true)
      } catch let error as LMDBError {
        #expect(error.code == .invalidFile)
      }
    }
  }

  @Test func `an environment is unused until somebody opens it, in this process or another`() throws {
    let directory = try TemporaryDirectory()
    var environment: Environment? = try Environment.open(at: directory.path)
    #expect(try Environment.whileUnused(at: directory.path) { 1 } == nil)
    _ = environment?.path
    environment = nil
    #expect(try Environment.whileUnused(at: directory.path) { 1 } == 1)
  }
}
