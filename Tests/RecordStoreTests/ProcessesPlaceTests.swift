import Foundation
import LMDB
import Testing

@testable import RecordStore

struct ProcessesPlaceTests {
  @Test(arguments: [
    "../x", "..", ".", "", "x", "/etc", "group/../x.y", "group..x", ".group.x", "group.x.", "group.x y", "group.ü",
    "a.\u{0}", "a.b\n", "~.x", "group.\\x",
  ])
  func `an identifier that could lead elsewhere is refused in one sentence`(identifier: String) {
    let error = #expect(throws: StoreError.self) {
      _ = try GroupContainer(identifier: identifier, root: URL(fileURLWithPath: "/root"))
    }
    #expect(error?.code == .invalidIdentifier)
    #expect(error?.message.contains("reverse-DNS") == true)
    #expect(error?.message.contains("\n") == false)
  }

  @Test func `identifiers have a limit of length`() throws {
    let longest = String(repeating: "abcdefg.", count: 16).dropLast()
    #expect(longest.utf8.count == GroupContainer.maximumIdentifierBytes - 1)
    _ = try GroupContainer(identifier: String(longest))
    #expect(storeErrorCode { _ = try GroupContainer(identifier: longest + ".a") } == .invalidIdentifier)
    let label = "a." + String(repeating: "b", count: 64)
    #expect(storeErrorCode { _ = try GroupContainer(identifier: label) } == .invalidIdentifier)
  }

  @Test func `the root is the given one, then the variable, then the data home, then the home`() throws {
    func directory(_ root: String?, _ environment: [String: String]) throws -> String {
      let root = root.map { URL(fileURLWithPath: $0) }
      return try GroupContainer(identifier: "group.org.example", root: root) { environment[$0] }.directory.path
    }
    var environment = ["HOME": "/home/me"]
    #expect(try directory(nil, environment) == "/home/me/.local/share/tandem/group.org.example")
    environment["XDG_DATA_HOME"] = "/data"
    #expect(try directory(nil, environment) == "/data/tandem/group.org.example")
    environment["TANDEM_CONTAINER_ROOT"] = "/containers"
    #expect(try directory(nil, environment) == "/containers/group.org.example")
    #expect(try directory("/given", environment) == "/given/group.org.example")
    environment["TANDEM_CONTAINER_ROOT"] = ""
    #expect(try directory(nil, environment) == "/data/tandem/group.org.example")
    // A relative one used to be ignored without a word, and values landed in the home folder.
    let here = FileManager.default.currentDirectoryPath
    environment["TANDEM_CONTAINER_ROOT"] = "relative/../here"
    #expect(try directory(nil, environment) == "\(here)/here/group.org.example")
  }

  @Test func `a container is made for its user alone`() throws {
    try withEmptyDirectory { root in
      let container = try GroupContainer(identifier: "group.org.example", root: root.appendingPathComponent("new"))
      let directory = try container.createDirectory()
      #expect(try container.createDirectory() == directory)
      for path in [directory.path, root.appendingPathComponent("new").path] {
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
      }
    }
  }

  @Test(arguments: ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "fuse", "fuseblk"])
  func `a store is refused on a file system that machines share`(name: String) {
    #expect(!FileSystemKind(name: name).isLocal)
  }

  @Test(arguments: ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "apfs", "fusectl"])
  func `a store may live on a local file system`(name: String) {
    #expect(FileSystemKind(name: name).isLocal)
  }

  @Test func `the mount that covers a path most closely decides`() {
    let mounts = """
      21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
      30 21 0:40 / /mnt/share rw shared:2 master:3 - nfs4 server:/export rw
      31 30 0:41 / /mnt/share/my\\040disk rw - tmpfs tmpfs rw
      32 21 0:42 / /mnt rw - xfs /dev/b rw
      """
    func name(_ path: String) -> String? { FileSystemKind(path: path, mounts: mounts)?.name }
    #expect(name("/home/me") == "ext4")
    #expect(name("/mnt") == "xfs")
    #expect(name("/mnt/shared") == "xfs")
    #expect(name("/mnt/share/a") == "nfs4")
    #expect(name("/mnt/share/my disk/a") == "tmpfs")
    #expect(FileSystemKind(path: "/", mounts: "") == nil)
  }

  @Test func `this machine's temporary folder is local, even for a store that is not there yet`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("a/b/c.store")
    try FileSystemKind.requireLocal(url)
    #expect(try FileSystemKind(of: url) == FileSystemKind(of: FileManager.default.temporaryDirectory))
  }

  @Test(arguments: ["/", "/tmp", "/dev", "/dev/shm", "/proc", "/sys", "/not/there"])
  func `what is local at first sight is local by its name, too`(path: String) throws {
    let url = URL(fileURLWithPath: path)
    guard FileSystemKind.isPlainlyLocal(url) else { return }
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try FileSystemKind(of: url)?.isLocal != false)
  }

  @Test(arguments: [
    (LMDBError.Code.noSuchFile, StoreError.Code.notFound), (.invalidFile, .notAStore), (.corrupted, .damaged),
    (.versionMismatch, .newerFormat), (.diskFull, .diskFull), (.readOnlyFileSystem, .readOnlyFileSystem),
    (.accessDenied, .permissionDenied), (.readersFull, .readersFull), (.outcomeUnknown, .commitOutcomeUnknown),
    (.busy, .busy), (.inputOutput, .inputOutput), (.other(5), .inputOutput),
  ])
  func `LMDB's errors name the store and a remedy`(code: LMDBError.Code, expected: StoreError.Code) {
    let error = StoreError(LMDBError(code, operation: "open", detail: "detail"), store: "/the/store")
    #expect(error.code == expected)
    #expect(error.message.contains("/the/store"))
    #expect(error.message.contains(";"))
    #expect(error.cause is LMDBError)
  }
}
