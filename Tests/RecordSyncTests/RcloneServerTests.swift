import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Real servers on this machine, by rclone itself.
struct RcloneServerTests {
  private typealias Device = DeviceSyncTests.Device

  private static var rclone: URL? {
    do { return try RcloneProgram.find([:]) } catch { return nil }
  }

  private func sync(accepting: Bool = false) -> DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    options.acceptsForeignDirectories = accepting
    return DeviceSync(options: options)
  }

  @Test(
    .enabled(if: rclone != nil, "rclone is not installed (apt-get install rclone)"), arguments: ["webdav", "sftp"])
  func `devices become equal through a server, and its end is told`(_ kind: String) async throws {
    let root = try TemporaryFolder()
    let server = try RcloneServer(kind, in: root.url, program: try #require(Self.rclone))
    defer { server.end() }
    try await server.begin()
    var options = RcloneTransport.Options()
    options.environment = ["RCLONE_CONFIG": server.configuration.path]
    let transport = try RcloneTransport("box:shelf", options: options)
    let (phone, laptop, tablet) = (try Device(), try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try laptop.insertTag(2)
    // There is no such folder yet.
    let missing = await #expect(throws: SyncError.self) {
      try await sync().synchronize(phone.directory, transport: transport)
    }
    #expect(missing?.code == .folderMissing, "\(missing?.message ?? "")")
    #expect(try await sync(accepting: true).synchronize(phone.directory, transport: transport).isComplete)
    for device in [laptop, phone, tablet, laptop, phone] {
      let report = try await sync().synchronize(device.directory, transport: transport)
      #expect(report.isComplete, "\(report)")
    }
    #expect(try phone.dump().count == 2)
    #expect(try phone.dump() == laptop.dump())
    #expect(try phone.dump() == tablet.dump())
    let idle = try await sync().synchronize(phone.directory, transport: transport)
    #expect(idle.isUnchanged && idle.isComplete)
    try await transport.remove(["not/there", try #require(try await transport.list()?.first?.path)])
    server.end()
    let gone = await #expect(throws: SyncError.self) {
      try await sync().synchronize(phone.directory, transport: transport)
    }
    #expect(gone?.code == .transportFailed)
    #expect(gone?.message.contains("check the network") == true, "\(gone?.message ?? "")")
  }

  @Test(.enabled(if: rclone != nil, "rclone is not installed (apt-get install rclone)"))
  func `a large value passes through a server in pieces`() async throws {
    let root = try TemporaryFolder()
    let server = try RcloneServer("webdav", in: root.url, program: try #require(Self.rclone))
    defer { server.end() }
    try await server.begin()
    var options = RcloneTransport.Options()
    options.environment = ["RCLONE_CONFIG": server.configuration.path]
    let transport = try RcloneTransport("box:shelf", options: options)
    let (phone, laptop) = (try LargeValueDeviceTests.Device(), try LargeValueDeviceTests.Device())
    let image = Data((0..<3 as Range<UInt8>).flatMap { [UInt8](repeating: $0, count: ValueSlice.pieceBytes - 1) })
    try phone.insert(1, image)
    for device in [phone, laptop] {
      let report = try await sync(accepting: true).synchronize(device.directory, transport: transport)
      #expect(report.isComplete, "\(report)")
    }
    #expect(try laptop.has(image) && laptop.dump == phone.dump)
    let pieces = try #require(try await transport.list()).filter { $0.path.hasSuffix(".tlp") }.map(\.byteCount)
    #expect(pieces.sorted() == [ValueSlice.pieceBytes - 3, ValueSlice.pieceBytes, ValueSlice.pieceBytes])
    let idle = try await sync().synchronize(laptop.directory, transport: transport)
    #expect(idle.isUnchanged && idle.isComplete)
  }
}

/// `rclone serve` on a port of its own.
private final class RcloneServer {
  let configuration: URL
  private let process = Process()
  private let port: Int
  private let kind: String

  init(_ kind: String, in root: URL, program: URL) throws {
    self.kind = kind
    configuration = root.appending(path: "rclone.conf")
    port = try RcloneServer.freePort()
    let remote =
      kind == "webdav"
      ? "type = webdav\nurl = http://127.0.0.1:\(port)\nvendor = other\n"
      : "type = sftp\nhost = 127.0.0.1\nport = \(port)\nuser = u\npass = \(try RcloneServer.obscured("pw", program))\n"
        + "shell_type = none\nmd5sum_command = none\nsha1sum_command = none\n"
    try Data("[box]\n\(remote)".utf8).write(to: configuration)
    let served = root.appending(path: "served")
    try FileManager.default.createDirectory(at: served, withIntermediateDirectories: true)
    process.executableURL = program
    process.arguments = ["serve", kind, served.path, "--addr", "127.0.0.1:\(port)"]
    if kind == "sftp" { process.arguments?.append(contentsOf: ["--user", "u", "--pass", "pw"]) }
    process.environment = ProcessInfo.processInfo.environment.merging(["RCLONE_CONFIG": configuration.path]) { $1 }
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
  }

  /// Returns once it takes connections.
  func begin() async throws {
    try process.run()
    while process.isRunning {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      if RcloneServer.withAddress(port, { connect(descriptor, $0, $1) }) == 0 { return }
      await Task.yield()
    }
    Issue.record("rclone serve \(kind) ended by itself")
  }

  func end() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  private static func obscured(_ password: String, _ program: URL) throws -> String {
    let (process, answer) = (Process(), Pipe())
    process.executableURL = program
    process.arguments = ["obscure", password]
    process.standardOutput = answer
    try process.run()
    let text = try answer.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A port that was free a moment ago.
  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    try #require(withAddress(0) { bind(descriptor, $0, $1) } == 0)
    var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    try #require(status == 0)
    return Int(UInt16(bigEndian: address.sin_port))
  }

  // Sockets take addresses as pointers alone.
  private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
