import Foundation
import LMDB
import Testing

struct RoomAheadTests {
  /// The lengths of the data file after each of many commits of a few new pages.
  private func lengths(_ durability: Environment.Durability, commits: Int) throws -> (lengths: [Int], used: Int) {
    let directory = try TemporaryDirectory()
    var options = Environment.Options()
    options.durability = durability
    let environment = try Environment.open(at: directory.path, options: options)
    let database = try environment.write { try $0.createDatabase(named: "rows") }
    var lengths: [Int] = []
    for number in 0..<commits {
      try environment.write { transaction in
        let key = Array("\(100_000 + number)".utf8)
        try transaction.put(database, key: key, value: [UInt8](repeating: 7, count: 1_500))
      }
      let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/data.mdb")
      lengths.append(try #require(attributes[.size] as? Int))
    }
    let used = try environment.information().usedBytes
    withExtendedLifetime(directory) {}
    return (lengths, used)
  }

  @Test func `few of many small durable commits make the file longer`() throws {
    let (lengths, used) = try lengths(.full, commits: 400)
    #expect(used > 600 << 10, "the commits take new pages: \(used)")
    #expect(Set(lengths).count <= used >> 16, "no step is below 64 KiB")
    #expect(lengths == lengths.sorted())
    // What is kept beside the step is what a small commit may take.
    #expect(try #require(lengths.last) <= used + used / 16 + (128 << 10))
  }

  @Test func `a file that is not flushed has no room ahead`() throws {
    let (lengths, used) = try lengths(.unsafeNoSync, commits: 50)
    #expect(try #require(lengths.last) <= used)
  }
}
