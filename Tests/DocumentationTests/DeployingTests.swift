import Foundation
import HelperProcess
import Testing

/// What the Dockerfile of the article Deploying rests on. Its commands are played by `ConsoleTests`.
struct DeployingTests {
  private func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The stages of the Dockerfile, each from its `FROM` on.
  private func stages() throws -> [String] {
    let article = try text("Sources/Tandem/Tandem.docc/Deploying.md")
    let block = try #require(article.components(separatedBy: "```dockerfile\n").dropFirst().first)
    return block.components(separatedBy: "```")[0].components(separatedBy: "FROM ").dropFirst().map { $0 }
  }

  @Test func `the first stage installs what this package is built with`() throws {
    let stage = try #require(try stages().first)
    let script = try text("tools/prepare")
    let packages = BuildPackages.named(in: script)
    #expect(packages.isSuperset(of: ["liblmdb-dev", "libmd-dev"]))
    for package in packages { #expect(stage.contains(" \(package)"), "\(package)") }
    let major = try #require(script.firstMatch(of: /least_swift_major=([0-9]+)/)).1
    let minor = try #require(script.firstMatch(of: /least_swift_minor=([0-9]+)/)).1
    #expect(stage.hasPrefix("swift:\(major).\(minor)-"))
  }

  @Test
  func
    `the second stage installs the libraries that a program needs beside the system's and Swift's`()
    throws
  {
    let stage = try #require(try stages().last)
    let ofSystem = [
      "linux-vdso", "/lib", "libc.", "libm.", "libgcc_s.", "libstdc++.", "libpthread.", "libdl.",
      "librt.", "libutil.",
    ]
    let ofSwift = [
      "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime",
    ]
    // Two of them are libedit's own, which its package brings along.
    let ofTool = ["libbsd.so.0", "libedit.so.2", "libsqlite3.so.0", "libtinfo.so.6"]
    for (program, more) in [("key-value-test-helper", []), ("tandem", ofTool)] {
      let libraries = try MachineCommand(["ldd", HelperProcess.executable(named: program).path])
        .lines
        .compactMap { $0.split(separator: " ").first.map { String($0.drop { $0.isWhitespace }) } }
      let others = libraries.filter { name in !(ofSystem + ofSwift).contains { name.hasPrefix($0) } }
      #expect(others.sorted() == (["liblmdb.so.0", "libmd.so.0"] + more).sorted(), "\(program)")
    }
    #expect(stage.contains(" liblmdb0 libmd0 "))
  }
}
