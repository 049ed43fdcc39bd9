import Foundation
import Testing

@testable import LMDB

/// Bits that flip in the two pages by which LMDB tells the last commit.
///
/// A flipped bit in the number of the older page made it the newer one, and one in the root of the newer page led to
/// the trees of an older commit: the file was opened as it had been, and nothing said so. Tests of damage looked at the
/// pages behind the first two, or destroyed a meta page as a whole, which LMDB notices.
struct LastCommitsTests {
  private static let pageBytes = 4096
  private static let numberOffset = 16 + 128

  /// A closed environment whose last commits put their own numbers under "last".
  private final class Counted {
    let directory: TemporaryDirectory
    let bytes: Data
    let lastNumber: UInt64

    init(commits: Int) throws {
      directory = try TemporaryDirectory()
      var environment: Environment? = try Counted.open(directory)
      var last: UInt64 = 0
      for _ in 0..<commits { last = try Counted.commit(#require(environment)) }
      environment = nil
      bytes = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb"))
      lastNumber = last
    }

    static func commit(_ environment: Environment) throws -> UInt64 {
      try environment.write { transaction in
        let table = try transaction.createDatabase(named: "numbers")
        let number = transaction.view.id
        try transaction.put(table, key: "last".bytes, value: "\(number)".bytes)
        try transaction.put(table, key: "large \(number % 5)".bytes, value: [UInt8](repeating: 1, count: 9000))
        return number
      }
    }

    static func open(_ directory: TemporaryDirectory) throws -> Environment {
      var options = Environment.Options()
      options.durability = .unsafeNoSync
      return try Environment.open(at: directory.path, options: options)
    }

    /// Commits once more, and returns what should be read afterwards.
    func write() throws -> String { "\(try Counted.commit(Counted.open(directory)))" }

    func write(_ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: directory.path + "/data.mdb")) }

    /// The survey's word, and the number that it finds under "last".
    func survey() throws -> (isTrue: Bool, last: String?) {
      var last: String?
      let survey = try DataFileSurvey.run(directory: directory.path, includingStrays: false) { place, key, value in
        if case .table("numbers") = place, key.text == "last" { last = value.text }
      }
      return (survey.commitFlaw == nil, last)
    }

    func opened() throws -> String? {
      let environment = try Counted.open(directory)
      guard let table = try environment.database(named: "numbers") else { return nil }
      return try environment.read { try $0.view.get(table, key: "last".bytes)?.text }
    }
  }

  private static func flipped(_ bytes: Data, page: Int, bit: Int) -> Data {
    var bytes = bytes
    bytes[page * pageBytes + numberOffset + bit / 8] ^= 1 << UInt8(bit % 8)
    return bytes
  }

  /// Files whose older page is the first or the second, with few commits and with many. The greater number may lose one
  /// bit that makes it look as a failed write of a meta page leaves it.
  @Test(arguments: [2, 3, 4, 5, 6, 7, 8, 40, 41, 42, 43])
  func `a bit that flips in the number of a commit never makes an older commit the last one`(commits: Int) throws {
    let file = try Counted(commits: commits)
    let last = "\(file.lastNumber)"
    #expect(try file.survey() == (true, last))
    for page in 0..<2 {
      let number = file.lastNumber - (file.lastNumber & 1 == page ? 0 : 1)
      for bit in 0..<64 {
        let wrong = number ^ 1 << UInt64(bit)
        if number == file.lastNumber, wrong == number - 2 { continue }
        try file.write(Self.flipped(file.bytes, page: page, bit: bit))
        let found = try file.survey()
        #expect(found.last == last, "\(number) became \(wrong)")
        let isHarmless = number == file.lastNumber ? wrong > number : wrong < number
        if found.isTrue {
          #expect(isHarmless && (wrong == 0 || wrong & 1 == number & 1), "\(number) became \(wrong)")
          #expect(try file.opened() == last, "\(number) became \(wrong)")
        } else if bit == 1 || bit == 63 {
          #expect(errorCode { _ = try file.opened() } == .corrupted, "\(number) became \(wrong)")
        }
      }
    }
  }

  /// In both pages: their sizes, and of the commit the roots and the last page.
  @Test(arguments: [5, 6, 7, 40, 41], [24, 64, 112, 120])
  func `a bit that flips in what a commit leads to is refused, or changes nothing`(commits: Int, place: Int) throws {
    let file = try Counted(commits: commits)
    var refused = 0
    for (bit, page) in (0..<(place == 24 ? 32 : 64)).flatMap({ bit in [(bit, 0), (bit, 1)] }) {
      var bytes = file.bytes
      bytes[page * Self.pageBytes + 16 + place + bit / 8] ^= 1 << UInt8(bit % 8)
      try file.write(bytes)
      let isTrue = try file.survey().isTrue
      if !isTrue { refused += 1 }
      // An opening that refuses a file has waited.
      if isTrue || bit == 12 {
        try expectHarmless(file, isTrue: isTrue, isRoot: place == 112, "bit \(bit) of page \(page)")
      }
    }
    #expect(refused > 8)
  }

  /// It could lead to the list of an older commit. Then the page was taken for that commit's with a wrong number, and
  /// what the last commit had written was gone from all that was recovered.
  @Test(arguments: 3...40)
  func `a bit that flips in the root of the free pages makes no other commit the last one`(commits: Int) throws {
    let file = try Counted(commits: commits)
    for (bit, page) in (0..<8).flatMap({ bit in [(bit, 0), (bit, 1)] }) {
      var bytes = file.bytes
      bytes[page * Self.pageBytes + 16 + 64 + bit / 8] ^= 1 << UInt8(bit % 8)
      try file.write(bytes)
      #expect(try file.survey().last == "\(file.lastNumber)", "bit \(bit) of page \(page)")
    }
  }

  private func expectHarmless(_ file: Counted, isTrue: Bool, isRoot: Bool, _ note: Comment) throws {
    do {
      let last = try file.opened()
      #expect(isTrue, note)
      // The root of another tree is no list of databases: an opening finds no database.
      if last == nil, isRoot { return }
      #expect(last == "\(file.lastNumber)", note)
      let next = try file.write()
      #expect(try file.opened() == next && file.survey().isTrue, note)
    } catch let error as LMDBError {
      #expect([.corrupted, .invalidFile].contains(error.code), note)
    }
  }

  @Test func `a copy has true numbers, whether free pages come along or not`() throws {
    for isCompacting in [false, true] {
      try withEnvironment { environment in
        for commit in 0..<9 {
          let copy = try TemporaryDirectory()
          try environment.copy(to: copy.path, compacting: isCompacting)
          let survey = try DataFileSurvey.run(directory: copy.path, includingStrays: false) { _, _, _ in }
          #expect(survey.commitFlaw == nil, "\(commit)")
          #expect(errorCode { try commitTwice(Environment.open(at: copy.path)) } == nil)
          try commitTwice(environment)
        }
      }
    }
  }

  /// A commit into an empty list of databases frees nothing.
  @Test func `an environment that was emptied and filled again has true numbers`() throws {
    try withEnvironment { environment in
      for round in 0..<20 {
        try environment.write { transaction in
          if round % 2 == 0 {
            try transaction.put(.main, key: "a".bytes, value: [UInt8](repeating: 1, count: 100 * round))
          } else {
            try transaction.delete(.main, key: "a".bytes)
          }
        }
        let survey = try DataFileSurvey.run(directory: environment.path, includingStrays: false) { _, _, _ in }
        #expect(survey.commitFlaw == nil, "\(round)")
      }
    }
  }

  /// LMDB then gives the page its former number and last page, and leaves the roots of the commit that failed.
  @Test(arguments: 1...6)
  func `a file whose meta page could not be written has true numbers`(commits: Int) throws {
    let file = try Counted(commits: commits + 1)
    let page = Int(file.lastNumber & 1)
    var bytes = file.bytes
    let place = page * Self.pageBytes + Self.numberOffset
    let other = (1 - page) * Self.pageBytes + Self.numberOffset
    let former = file.lastNumber < 2 ? 0 : file.lastNumber - 2
    for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: former >> UInt64(8 * byte)) }
    for byte in 1...8 { bytes[place - byte] = bytes[other - byte] }
    try file.write(bytes)
    #expect(try file.survey() == (true, "\(file.lastNumber - 1)"))
    #expect(try file.opened() == "\(file.lastNumber - 1)")
  }

  private func commitTwice(_ environment: Environment) throws {
    for _ in 0..<2 {
      try environment.write { transaction in
        let table = try transaction.createDatabase(named: "numbers")
        try transaction.put(table, key: "a".bytes, value: "b".bytes)
      }
    }
  }
}
