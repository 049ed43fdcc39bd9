extension String {
  /// Returns the text with each scalar of one value replaced.
  ///
  /// Marks of a format are scalars: a quote and the accent behind it are one `Character`, in which `replacing(_:with:)`
  /// finds no quote, and readers of the format do.
  package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
    guard unicodeScalars.contains(scalar) else { return self }
    return unicodeScalars.reduce(into: "") { text, each in
      if each == scalar { text += replacement } else { text.unicodeScalars.append(each) }
    }
  }
}
