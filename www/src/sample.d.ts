declare module 'sample/*?url' {
  const url: string;
  export default url;
}
