import Foundation

/// The system's number behind an error of Foundation.
package enum SystemErrorNumber {
  /// Nil where the error does not name it.
  package static func number(of error: any Error) -> Int32? {
    if let error = error as? POSIXError { return error.code.rawValue }
    let details = error as NSError
    if details.domain == NSPOSIXErrorDomain { return Int32(details.code) }
    if let cause = details.userInfo[NSUnderlyingErrorKey] as? any Error, let number = number(of: cause) {
      return number
    }
    // Some of Foundation's errors have a kind alone.
    switch (error as? CocoaError)?.code {
    case .fileReadNoPermission, .fileWriteNoPermission: return EACCES
    case .fileNoSuchFile, .fileReadNoSuchFile: return ENOENT
    case .fileWriteOutOfSpace: return ENOSPC
    case .fileWriteVolumeReadOnly: return EROFS
    default: return nil
    }
  }
}

extension Error {
  /// The system's words for what was refused, such as "Permission denied"; the error's own where there are none.
  /// Foundation describes its errors by domain and number.
  package var systemReason: String {
    SystemErrorNumber.number(of: self).map { String(cString: strerror($0)) } ?? localizedDescription
  }
}
