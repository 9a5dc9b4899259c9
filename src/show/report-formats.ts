export const reportFormats = ["html", "md", "json", "svg"] as const;
